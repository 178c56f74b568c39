#include "ranks/problems/definition.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "common/file_system.h"
#include "ranks/problems/json_document.h"

namespace ptxbatch {
namespace {

bool is_identifier(const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), allowed);
}

void expect_identifier(const std::string& name, const JsonNode& node) {
  if (!is_identifier(name)) {
    node.reject("not a name for an axis or a tensor",
                "Letters, digits and underscores, not beginning with a digit.");
  }
}

std::optional<std::int64_t> read_axis(const JsonNode& node) {
  const auto type = node.at("type").text();
  if (type == "const") {
    node.expect_keys({"type", "value"}, {"description"});
    return node.at("value").positive_integer();
  }
  if (type == "var") {
    node.expect_keys({"type"}, {"description"});
  } else {
    node.at("type").reject("expected 'const' or 'var', found '" + type + "'");
  }
  return std::nullopt;
}

void read_axes(const JsonNode& node, Definition& definition) {
  for (const auto& [name, member] : node.members()) {
    expect_identifier(name, member);
    definition.axes[name] = read_axis(member);
  }
}

DataType read_type(const JsonNode& node) {
  const auto name = node.text();
  const auto type = data_type_from_name(name);
  if (!type) {
    node.reject("data type '" + name + "' is not supported",
                "Supported: float32, float16, bfloat16, int32, int64.");
  }
  return type.value_or(DataType::kFloat32);
}

std::vector<std::string> read_shape(const JsonNode& node, const Definition& definition) {
  std::vector<std::string> axes;
  for (const auto& element : node.elements()) {
    axes.push_back(element.text());
    if (!definition.axes.contains(axes.back())) {
      element.reject("'" + axes.back() + "' is not an axis of this definition",
                     "Every axis of a shape is declared under 'axes'.");
    }
  }
  if (axes.empty()) node.reject("expected an array of axis names that is not empty, or null");
  return axes;
}

Definition::Parameter read_parameter(const std::string& name, const JsonNode& node,
                                     const Definition& definition) {
  node.expect_keys({"shape", "dtype"}, {"description"});
  Definition::Parameter parameter;
  parameter.name = name;
  parameter.type = read_type(node.at("dtype"));
  parameter.is_scalar = node.at("shape").is_null();
  if (!parameter.is_scalar) parameter.axes = read_shape(node.at("shape"), definition);
  return parameter;
}

std::vector<Definition::Parameter> read_parameters(const JsonNode& node,
                                                   const Definition& definition) {
  std::vector<Definition::Parameter> parameters;
  for (const auto& [name, member] : node.members()) {
    expect_identifier(name, member);
    parameters.push_back(read_parameter(name, member, definition));
  }
  if (parameters.empty()) node.reject("expected at least one tensor");
  return parameters;
}

void check_outputs(const JsonNode& node, const Definition& definition) {
  std::set<std::string> input_names;
  for (const auto& input : definition.inputs) input_names.insert(input.name);
  for (const auto& output : definition.outputs) {
    if (output.is_scalar) {
      node.at(output.name).at("shape").reject("an output is a tensor; expected an array of axes");
    }
    if (input_names.contains(output.name)) {
      node.at(output.name).reject("an input has this name too");
    }
  }
}

void expect_texts(const JsonNode& node) {
  if (!node.present()) return;
  for (const auto& element : node.elements()) (void)element.text();
}

Definition read_root(const JsonNode& root) {
  root.expect_keys({"name", "op_type", "axes", "inputs", "outputs", "reference"},
                   {"description", "tags", "constraints"});
  Definition definition;
  definition.name = root.at("name").text();
  definition.op_type = root.at("op_type").text();
  read_axes(root.at("axes"), definition);
  definition.inputs = read_parameters(root.at("inputs"), definition);
  definition.outputs = read_parameters(root.at("outputs"), definition);
  check_outputs(root.at("outputs"), definition);
  (void)root.at("reference").text();
  if (root.at("description").present()) (void)root.at("description").text();
  expect_texts(root.at("tags"));
  expect_texts(root.at("constraints"));
  return definition;
}

}  // namespace

Result<Definition> read_definition(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  const auto document = JsonDocument::parse(*text, path);
  if (!document) return fail(document.error());
  auto definition = read_root(document->root());
  if (const auto status = document->status(); !status) return fail(status.error());
  definition.json = document->pretty_without("tags");
  return definition;
}

}  // namespace ptxbatch
