#include "ranks/problems/reference_support.h"

#include <algorithm>
#include <vector>

namespace ptxbatch {
namespace {

struct References {
  std::vector<std::string_view> op_types;
  std::vector<DataType> types;  // of the first input
};

const References& references_of(std::string_view target) {
  static const References host = {{"gemm", "mha_fwd", "mha_fwd_causal"}, {DataType::kFloat32}};
  static const References gpu = {{"gemm", "mha_fwd", "mha_fwd_causal", "mha_bwd", "mha_bwd_causal"},
                                 {DataType::kBFloat16, DataType::kFloat16}};
  return target == "host" ? host : gpu;
}

template <class T, class Name>
std::string listed(const std::vector<T>& items, Name name) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "" : ", ") + std::string(name(item));
  return text;
}

template <class T>
bool contains(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

Error unsupported(std::string what, std::string hint, std::string key) {
  return {ErrorKind::kInput, std::move(what), std::move(hint), {}, 0, 0, std::move(key)};
}

}  // namespace

Status check_reference(std::string_view target, const Problem& problem) {
  const References& references = references_of(target);
  const std::string name(target);
  if (!contains(references.op_types, std::string_view(problem.op_type))) {
    return fail(unsupported(
        "the target '" + name + "' has no reference for op_type '" + problem.op_type + "'",
        "It has: " + listed(references.op_types, [](auto op) { return op; }) + ".", "op_type"));
  }
  const Tensor& first = problem.inputs.front().tensor;
  if (!contains(references.types, first.type)) {
    return fail(unsupported("the references of the target '" + name + "' do not compute in " +
                                std::string(data_type_name(first.type)) + ", the type of '" +
                                problem.definition + "'",
                            "They compute in: " + listed(references.types, data_type_name) + ".",
                            "inputs." + first.name + ".dtype"));
  }
  return {};
}

}  // namespace ptxbatch
