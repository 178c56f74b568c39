// A FlashInfer-Trace definition as it stands in its file: shapes by axis names, nothing resolved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

struct Definition {
  struct Parameter {
    std::string name;
    DataType type = DataType::kFloat32;
    std::vector<std::string> axes;  // empty for a scalar
    bool is_scalar = false;
  };

  std::string name;
  std::string op_type;
  std::map<std::string, std::optional<std::int64_t>> axes;  // no value: var, the workload gives it
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::string json;  // without tags, pretty-printed
};

/// Reads one definition file; errors name the file and the key or, for bad JSON, line and column.
Result<Definition> read_definition(const std::string& path);

}  // namespace ptxbatch
