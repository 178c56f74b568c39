// A problem: a FlashInfer-Trace definition together with one workload of it, shapes resolved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

enum class DataType { kFloat32, kFloat16, kBFloat16, kInt32, kInt64 };
std::string_view data_type_name(DataType type);  // FlashInfer-Trace: "float32", "bfloat16", ...
std::optional<DataType> data_type_from_name(std::string_view name);
std::size_t data_type_bytes(DataType type);

struct Tensor {
  std::string name;
  DataType type = DataType::kFloat32;
  std::vector<std::int64_t> shape;  // row-major, contiguous

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::size_t bytes() const;
};

/// An input: a tensor, or a scalar (shape null in the definition) with the workload's value.
struct Argument {
  Tensor tensor;  // shape empty for a scalar
  bool is_scalar = false;
  double scalar = 0;
};

struct Problem {
  std::string definition;       // name
  std::string op_type;          // key of the operator registry
  std::string workload;         // uuid
  std::string definition_json;  // without tags, pretty-printed: what the model is given
  std::map<std::string, std::int64_t> axes;
  std::vector<Argument> inputs;  // in definition order
  std::vector<Tensor> outputs;   // in definition order
};

/// Of all inputs and outputs together; scalars count nothing.
std::uint64_t tensor_bytes(const Problem& problem);

/// Reads FOLDER/definitions/<op_type>/NAME.json and the line of
/// FOLDER/workloads/<op_type>/NAME.jsonl with this uuid. Errors name file, line and key; an op_type
/// that the registry does not know is an error that lists those it knows.
Result<Problem> load_problem(const std::string& folder, const std::string& definition,
                             const std::string& workload_uuid);

}  // namespace ptxbatch
