#include "ranks/problems/problem.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "ranks/problems/definition.h"
#include "ranks/problems/operators.h"
#include "ranks/problems/workload.h"

namespace ptxbatch {
namespace {

struct DataTypeFacts {
  DataType type;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array kDataTypes = {DataTypeFacts{DataType::kFloat32, "float32", 4},
                                   DataTypeFacts{DataType::kFloat16, "float16", 2},
                                   DataTypeFacts{DataType::kBFloat16, "bfloat16", 2},
                                   DataTypeFacts{DataType::kInt32, "int32", 4},
                                   DataTypeFacts{DataType::kInt64, "int64", 8}};

// A tensor of a tebi-element is a typing error, and below this no product of sizes overflows.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 40;

/// A name that is a file's name and cannot lead out of the folder.
bool is_file_name(const std::string& name) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Error input_error(const std::string& file, std::string key, std::string what, std::string hint) {
  return {ErrorKind::kInput, std::move(what), std::move(hint), file, 0, 0, std::move(key)};
}

struct DefinitionPaths {
  std::vector<std::filesystem::path> matches;
  std::vector<std::string> names;  // of every definition in the folder
};

/// A definition is asked for by name; its op_type, the sub-folder, is found by looking.
Result<DefinitionPaths> list_definitions(const std::string& folder, const std::string& name) {
  DefinitionPaths paths;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(error)) {
    const auto& path = entry->path();
    if (entry.depth() != 1 || path.extension() != ".json") continue;
    paths.names.push_back(path.stem());
    if (path.stem() == name) paths.matches.push_back(path);
  }
  if (error) {
    return fail(input_error(folder, {},
                            "cannot read this folder of definitions: " + error.message(),
                            "A folder of problems holds definitions/<op_type>/NAME.json and "
                            "workloads/<op_type>/NAME.jsonl."));
  }
  std::sort(paths.names.begin(), paths.names.end());
  return paths;
}

Result<std::filesystem::path> find_definition(const std::string& folder, const std::string& name) {
  if (!is_file_name(name)) {
    return fail(input_error(folder, {}, "'" + name + "' is not a definition's name",
                            "Letters, digits and the characters _ - . are allowed."));
  }
  auto paths = list_definitions(folder, name);
  if (!paths) return fail(paths.error());
  if (paths->matches.empty()) {
    return fail(input_error(
        folder, {}, "no definition named '" + name + "' in this folder",
        paths->names.empty() ? "It has no definitions." : "It has: " + join(paths->names) + "."));
  }
  if (paths->matches.size() > 1) {
    return fail(input_error(
        folder, {}, "more than one definition is named '" + name + "'",
        "Found " + paths->matches[0].string() + " and " + paths->matches[1].string() + "."));
  }
  return paths->matches.front();
}

/// Name and op_type in the file are those of its place.
Status check_place(const Definition& definition, const std::filesystem::path& path) {
  const auto expect = [&](const std::string& key, const std::string& value,
                          const std::string& place) -> Status {
    if (value == place) return {};
    return fail(input_error(path, key, "'" + value + "' does not agree with where the file stands",
                            "Expected '" + place + "': definitions/<op_type>/<name>.json."));
  };
  if (auto status = expect("name", definition.name, path.stem()); !status) return status;
  return expect("op_type", definition.op_type, path.parent_path().filename());
}

Result<const Operator*> operator_of(const Definition& definition, const std::string& file) {
  if (const auto* found = find_operator(definition.op_type)) return found;
  return fail(input_error(file, "op_type", "unknown op_type '" + definition.op_type + "'",
                          "Known: " + join(known_op_types()) + "."));
}

Result<Tensor> resolve_tensor(const Definition::Parameter& parameter, const Problem& problem,
                              const std::string& key, const std::string& file) {
  Tensor tensor{parameter.name, parameter.type, {}};
  std::int64_t elements = 1;
  for (const auto& axis : parameter.axes) {
    const auto size = problem.axes.at(axis);
    if (size > kLargestTensor / elements) {
      return fail(
          input_error(file, key, "more than 2^40 elements", "Check the sizes of its axes."));
    }
    elements *= size;
    tensor.shape.push_back(size);
  }
  return tensor;
}

Status resolve(const Definition& definition, const Workload& workload, const std::string& file,
               Problem& problem) {
  problem.axes = workload.axes;
  for (const auto& [name, value] : definition.axes) {
    if (value) problem.axes[name] = *value;
  }
  for (const auto& input : definition.inputs) {
    auto tensor = resolve_tensor(input, problem, "inputs." + input.name, file);
    if (!tensor) return fail(tensor.error());
    const auto scalar = input.is_scalar ? workload.scalars.at(input.name) : 0.0;
    problem.inputs.push_back({std::move(*tensor), input.is_scalar, scalar});
  }
  for (const auto& output : definition.outputs) {
    auto tensor = resolve_tensor(output, problem, "outputs." + output.name, file);
    if (!tensor) return fail(tensor.error());
    problem.outputs.push_back(std::move(*tensor));
  }
  return {};
}

}  // namespace

std::string_view data_type_name(DataType type) {
  return kDataTypes.at(static_cast<std::size_t>(type)).name;
}

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (const auto& facts : kDataTypes) {
    if (facts.name == name) return facts.type;
  }
  return std::nullopt;
}

std::size_t data_type_bytes(DataType type) {
  return kDataTypes.at(static_cast<std::size_t>(type)).bytes;
}

std::int64_t Tensor::elements() const {
  std::int64_t product = 1;
  for (const auto size : shape) product *= size;
  return product;
}

std::size_t Tensor::bytes() const {
  return static_cast<std::size_t>(elements()) * data_type_bytes(type);
}

std::uint64_t tensor_bytes(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const Argument& input : problem.inputs) {
    if (!input.is_scalar) bytes += input.tensor.bytes();
  }
  for (const Tensor& output : problem.outputs) bytes += output.bytes();
  return bytes;
}

Result<Problem> load_problem(const std::string& folder, const std::string& definition_name,
                             const std::string& workload_uuid) {
  const auto root = std::filesystem::path(folder);
  const auto path = find_definition(root / "definitions", definition_name);
  if (!path) return fail(path.error());
  const auto definition = read_definition(*path);
  if (!definition) return fail(definition.error());
  if (const auto status = check_place(*definition, *path); !status) return fail(status.error());
  const auto found_operator = operator_of(*definition, *path);
  if (!found_operator) return fail(found_operator.error());

  const auto workloads = root / "workloads" / definition->op_type / (definition->name + ".jsonl");
  const auto workload = read_workload(workloads, *definition, workload_uuid);
  if (!workload) return fail(workload.error());

  Problem problem{
      definition->name, definition->op_type, workload_uuid, definition->json, {}, {}, {}};
  if (const auto status = resolve(*definition, *workload, *path, problem); !status) {
    return fail(status.error());
  }
  if (auto status = (*found_operator)->check(problem); !status) {
    status.error().file = *path;
    return fail(status.error());
  }
  return problem;
}

}  // namespace ptxbatch
