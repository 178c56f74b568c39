// ptxbatch show --prompt: what models are given, from a results file or from an experiment file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct PromptQuery {
  std::string file;  // NAME.h5, or NAME.toml
  // Of a results file; without a trajectory its prompts are listed.
  std::string trajectory;
  std::optional<std::int32_t> turn;
  // Of an experiment file; what is left out is its first.
  std::string model;
  std::string target;
  std::string problem;
  std::string tag;
  bool json = false;  // the array as it is sent
};

/// All mistakes of an experiment file at once.
tl::expected<std::string, std::vector<Error>> show_prompt(const PromptQuery& query,
                                                          std::size_t width);

}  // namespace ptxbatch
