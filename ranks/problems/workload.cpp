#include "ranks/problems/workload.h"

#include <optional>
#include <set>
#include <string_view>

#include "common/file_system.h"
#include "ranks/problems/json_document.h"

namespace ptxbatch {
namespace {

void read_axes(const JsonNode& node, const Definition& definition, Workload& workload) {
  for (const auto& [name, member] : node.members()) {
    const auto axis = definition.axes.find(name);
    if (axis == definition.axes.end()) {
      member.reject("the definition '" + definition.name + "' has no such axis");
    } else if (axis->second) {
      member.reject("the definition '" + definition.name + "' sets this axis to " +
                        std::to_string(*axis->second),
                    "A workload gives the axes of type var alone.");
    } else {
      workload.axes[name] = member.positive_integer();
    }
  }
  for (const auto& [name, value] : definition.axes) {
    if (!value && !workload.axes.contains(name)) {
      node.at(name).reject("missing; the definition '" + definition.name +
                           "' leaves this axis to the workload; expected a positive integer");
    }
  }
}

bool is_float(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16 || type == DataType::kBFloat16;
}

double read_scalar(const JsonNode& node, const Definition::Parameter& parameter) {
  if (!is_float(parameter.type) && node.present() && !node.is_integer()) {
    node.reject("expected an integer: the definition gives this input the type " +
                std::string(data_type_name(parameter.type)));
  }
  return node.number();
}

void read_input(const JsonNode& node, const Definition::Parameter& parameter, Workload& workload) {
  if (!node.present()) {
    node.reject("missing; the definition has this input");
    return;
  }
  const auto type = node.at("type").text();
  const std::string_view expected = parameter.is_scalar ? "scalar" : "random";
  if (type == "safetensors") {
    node.at("type").reject("inputs of type 'safetensors' are not supported",
                           "Use 'random': every input is drawn from a stored seed.");
  } else if (type != expected) {
    node.at("type").reject("expected '" + std::string(expected) + "' for " +
                           (parameter.is_scalar ? "an input of shape null" : "a tensor") +
                           ", found '" + type + "'");
  } else if (parameter.is_scalar) {
    node.expect_keys({"type", "value"});
    workload.scalars[parameter.name] = read_scalar(node.at("value"), parameter);
  } else {
    node.expect_keys({"type"});
  }
}

void read_inputs(const JsonNode& node, const Definition& definition, Workload& workload) {
  std::set<std::string> known;
  for (const auto& parameter : definition.inputs) {
    known.insert(parameter.name);
    read_input(node.at(parameter.name), parameter, workload);
  }
  for (const auto& [name, member] : node.members()) {
    if (!known.contains(name)) {
      member.reject("the definition '" + definition.name + "' has no such input");
    }
  }
}

void expect_null(const JsonNode& node) {
  if (node.present() && !node.is_null()) {
    node.reject("expected null: this line is a workload, not a solution or a trace");
  }
}

/// What every line must have, whichever workload is asked for. Returns its uuid.
std::string read_frame(const JsonNode& root, const Definition& definition) {
  root.expect_keys({"definition", "workload"}, {"solution", "evaluation"});
  expect_null(root.at("solution"));
  expect_null(root.at("evaluation"));
  const auto name = root.at("definition").text();
  if (name != definition.name) {
    root.at("definition")
        .reject("expected '" + definition.name + "', the name of this file; found '" + name + "'");
  }
  root.at("workload").expect_keys({"axes", "inputs", "uuid"});
  return root.at("workload").at("uuid").text();
}

Error unknown_uuid(const std::string& path, const std::string& uuid,
                   const std::set<std::string>& known) {
  std::string list;
  for (const auto& each : known) list += (list.empty() ? "" : ", ") + each;
  return {ErrorKind::kInput,
          "no workload with uuid '" + uuid + "' in this file",
          list.empty() ? "The file has no workloads." : "It has: " + list + ".",
          path,
          0,
          0,
          "workload.uuid"};
}

/// Goes through all lines, so that a damaged line or a uuid used twice is seen whichever is asked.
class WorkloadFile {
 public:
  WorkloadFile(std::string path, const Definition& definition, std::string uuid)
      : path_(std::move(path)), definition_(definition), uuid_(std::move(uuid)) {}

  Status read_line(std::string_view text, int line) {
    const auto document = JsonDocument::parse(text, path_, line);
    if (!document) return fail(document.error());
    const auto root = document->root();
    const auto uuid = read_frame(root, definition_);
    if (!uuids_.insert(uuid).second) {
      root.at("workload").at("uuid").reject("an earlier line has this uuid too");
    }
    if (uuid == uuid_) {
      found_.emplace();
      found_->line = line;
      read_axes(root.at("workload").at("axes"), definition_, *found_);
      read_inputs(root.at("workload").at("inputs"), definition_, *found_);
    }
    return document->status();
  }

  [[nodiscard]] Result<Workload> result() const {
    if (!found_) return fail(unknown_uuid(path_, uuid_, uuids_));
    return *found_;
  }

 private:
  std::string path_;
  const Definition& definition_;
  std::string uuid_;
  std::set<std::string> uuids_;
  std::optional<Workload> found_;
};

}  // namespace

Result<Workload> read_workload(const std::string& path, const Definition& definition,
                               const std::string& uuid) {
  auto text = read_text(path);
  if (!text) {
    text.error().hint = "The workloads of '" + definition.name + "' stand in it, one JSON a line.";
    return fail(text.error());
  }
  WorkloadFile file(path, definition, uuid);
  int line = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++line;
    const auto end = rest.find('\n');
    const auto content = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (content.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const auto status = file.read_line(content, line); !status) return fail(status.error());
  }
  return file.result();
}

}  // namespace ptxbatch
