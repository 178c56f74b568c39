// A FlashInfer-Trace workload: the var axes and the scalar inputs of one line of a .jsonl file.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/error.h"
#include "ranks/problems/definition.h"

namespace ptxbatch {

struct Workload {
  int line = 0;                              // in its file
  std::map<std::string, std::int64_t> axes;  // the definition's var axes
  std::map<std::string, double> scalars;     // the definition's scalar inputs
};

/// Reads the line of `path` with this uuid and holds it against its definition. Errors name file,
/// line and key.
Result<Workload> read_workload(const std::string& path, const Definition& definition,
                               const std::string& uuid);

}  // namespace ptxbatch
