// A knowledge pack: what a model is told about a target. A folder with pack.toml, which names the
// instructions, the components in order (each with the paper's level), a worked example, and
// guidance documents that prompt tags add by operator type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "ranks/prompt/pack_level.h"

namespace ptxbatch {

struct PackDocument {
  std::string file;  // relative to the pack's folder
  std::string text;
};

struct PackComponent {
  PackLevel level = PackLevel::kContract;
  std::string title;
  std::vector<PackDocument> documents;
  std::int64_t tokens = 0;     // of all documents, by a real tokenizer; 0: not counted
  std::string counted_sha256;  // of the documents' texts, joined, as they were counted
};

struct PackGuidance {
  std::string name;  // as prompt tags call it
  std::vector<std::string> op_types;
  PackDocument document;
};

struct Pack {
  std::string name;
  std::string target;
  int version = 0;
  PackDocument instructions;
  std::vector<PackComponent> components;
  PackDocument example;
  std::vector<PackGuidance> guidance;

  /// nullptr when the pack has no such document for this operator type.
  [[nodiscard]] const PackGuidance* find_guidance(std::string_view op_type,
                                                  std::string_view guidance_name) const;
};

/// Reads the pack with all its documents. Errors name pack.toml, line and key: unknown keys,
/// missing keys, files that are missing or empty.
Result<Pack> load_pack(const std::string& folder);

}  // namespace ptxbatch
