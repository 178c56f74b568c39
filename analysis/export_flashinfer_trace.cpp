// FlashInfer-Trace: one JSON file a solution, JSON lines of traces, beside the definitions and
// workloads that they name.
#include <spdlog/fmt/fmt.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/export.h"
#include "analysis/record_json.h"
#include "common/file_system.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

/// What a problems folder says about one definition.
struct ProblemFiles {
  std::string op_type;
  std::string definition;                           // the file's text
  std::string workloads;                            // the file's text
  std::map<std::string, ordered_json> workload_of;  // by uuid
};

// The file NAME + extension in any folder below `folder`.
std::optional<fs::path> find_below(const fs::path& folder, const std::string& file_name) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / file_name, error)) return entry.path() / file_name;
  }
  return std::nullopt;
}

Error missing(const std::string& what, const std::string& folder) {
  return {ErrorKind::kInput,
          "there is no " + what + " in the problems folder",
          "Name the folder that the experiment used with --problems.",
          folder,
          0,
          0,
          {}};
}

Status add_workloads(ProblemFiles& files, const std::string& path) {
  auto text = read_text(path);
  if (!text) return fail(text.error());
  files.workloads = std::move(*text);
  std::string_view rest = files.workloads;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (one.empty()) continue;
    const auto parsed = ordered_json::parse(one, nullptr, /*allow_exceptions=*/false);
    const auto workload = parsed.is_object() ? parsed.find("workload") : parsed.end();
    if (!parsed.is_object() || workload == parsed.end() || !workload->contains("uuid")) {
      return fail(Error{ErrorKind::kInput,
                        "is not a workload in FlashInfer-Trace JSON",
                        {},
                        path,
                        line,
                        0,
                        "workload.uuid"});
    }
    files.workload_of[(*workload)["uuid"].get<std::string>()] = *workload;
  }
  return {};
}

Result<ProblemFiles> read_problem(const std::string& folder, const std::string& definition) {
  const auto file = find_below(fs::path(folder) / "definitions", definition + ".json");
  if (!file) return fail(missing("definition '" + definition + "'", folder));
  const auto workloads = find_below(fs::path(folder) / "workloads", definition + ".jsonl");
  if (!workloads) return fail(missing("workload file of '" + definition + "'", folder));
  ProblemFiles files;
  files.op_type = file->parent_path().filename().string();
  auto text = read_text(file->string());
  if (!text) return fail(text.error());
  files.definition = std::move(*text);
  if (auto added = add_workloads(files, workloads->string()); !added) return fail(added.error());
  return files;
}

// For names of files: letters, digits, '.', '_' and '-' stay.
std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

std::string iso_time(double unix_time_s) {
  const auto seconds = static_cast<std::time_t>(unix_time_s);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

const EnvironmentRecord* environment_of(const RunRecords& run, const TurnRecord& turn) {
  for (const EnvironmentRecord& of : run.environments) {
    if (of.session == turn.session && of.rank == turn.rank) return &of;
  }
  return nullptr;
}

// "OpenBLAS 0.3.21; g++ 12.2.0" as {"OpenBLAS": "0.3.21", "g++": "12.2.0"}.
ordered_json libraries_of(const EnvironmentRecord& environment) {
  auto libraries = ordered_json::object();
  std::string_view rest = environment.libraries;
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    const std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 2);
    const std::size_t space = one.rfind(' ');
    const bool has_version = space != std::string_view::npos;
    libraries[repair_utf8(one.substr(0, space))] =
        has_version ? repair_utf8(one.substr(space + 1)) : "";
  }
  return libraries;
}

std::string hardware_of(const PlannedTrajectory& planned, const EnvironmentRecord* environment) {
  const bool known = environment != nullptr && !environment->device_name.empty();
  return repair_utf8(known ? environment->device_name : planned.target);
}

ordered_json solution(const std::string& name, const PlannedTrajectory& planned,
                      const TurnRecord& turn, const std::string& hardware) {
  const bool host = planned.target == "host";
  const std::string file = host ? "kernel.cpp" : "kernel.cu";
  return {{"name", name},
          {"definition", repair_utf8(planned.definition)},
          {"author", repair_utf8(planned.model)},
          {"spec",
           {{"language", host ? "cpp" : "cuda"},
            {"target_hardware", {hardware}},
            {"entry_point", file + "::run"},
            {"dependencies", ordered_json::array()},
            {"destination_passing_style", true},
            {"binding", "tvm-ffi"}}},
          {"sources", {{{"path", file}, {"content", repair_utf8(turn.source)}}}},
          {"description", fmt::format("Trajectory {} ({}), turn {}, prompt '{}'", planned.index,
                                      planned.id, turn.turn, repair_utf8(planned.prompt_tag))}};
}

ordered_json trace(const std::string& name, const PlannedTrajectory& planned,
                   const TurnRecord& turn, const EnvironmentRecord* environment,
                   const ordered_json& workload) {
  return {
      {"definition", repair_utf8(planned.definition)},
      {"workload", workload},
      {"solution", name},
      {"evaluation",
       {{"status", "PASSED"},
        {"environment",
         {{"hardware", hardware_of(planned, environment)},
          {"libs", environment != nullptr ? libraries_of(*environment) : ordered_json::object()}}},
        {"timestamp", iso_time(turn.finished_at_s)},
        {"log", ""},
        {"correctness",
         {{"max_relative_error", rounded_number(turn.max_rel_error)},
          {"max_absolute_error", rounded_number(turn.max_abs_error)}}},
        {"performance",
         {{"latency_ms", rounded_number(turn.candidate_latency_ms)},
          {"reference_latency_ms", rounded_number(turn.reference_latency_ms)},
          {"speedup_factor", rounded_number(turn.speedup)}}}}}};
}

class Exporter {
 public:
  explicit Exporter(std::string problems_folder) : problems_folder_(std::move(problems_folder)) {}

  Status add(const RunRecords& run, const PlannedTrajectory& planned, const TurnRecord& turn) {
    if (turn.label != Label::kCorrect || turn.source.empty()) return {};
    const std::string name =
        file_name(fmt::format("{}_{}_{}_{}", planned.model, planned.target, planned.definition,
                              turn.source_sha256.substr(0, 16)));
    auto problem = problem_of(planned);
    if (!problem) return fail(problem.error());
    const auto workload = (*problem)->workload_of.find(planned.workload);
    if (workload == (*problem)->workload_of.end()) {
      return fail(missing("workload '" + planned.workload + "' of '" + planned.definition + "'",
                          problems_folder_));
    }
    if (!known_.insert(name + ' ' + planned.workload).second) return {};
    const EnvironmentRecord* environment = environment_of(run, turn);
    const std::string& op_type = (*problem)->op_type;
    const std::string definition = file_name(planned.definition);
    files_["solutions/" + file_name(planned.model) + "/" + op_type + "/" + definition + "/" + name +
           ".json"] =
        solution(name, planned, turn, hardware_of(planned, environment)).dump(2) + '\n';
    files_["traces/" + op_type + "/" + definition + ".jsonl"] +=
        trace(name, planned, turn, environment, workload->second).dump() + '\n';
    files_["definitions/" + op_type + "/" + definition + ".json"] = (*problem)->definition;
    files_["workloads/" + op_type + "/" + definition + ".jsonl"] = (*problem)->workloads;
    return {};
  }

  std::vector<ExportedFile> take() {
    std::vector<ExportedFile> files;
    for (auto& [path, contents] : files_) files.push_back({path, std::move(contents)});
    return files;
  }

 private:
  Result<const ProblemFiles*> problem_of(const PlannedTrajectory& planned) {
    const auto known = problems_.find(planned.definition);
    if (known != problems_.end()) return &known->second;
    auto read = read_problem(problems_folder_, planned.definition);
    if (!read) return fail(read.error());
    return &problems_.emplace(planned.definition, std::move(*read)).first->second;
  }

  std::string problems_folder_;
  std::map<std::string, ProblemFiles> problems_;
  std::set<std::string> known_;  // solution and workload
  std::map<std::string, std::string> files_;
};

}  // namespace

Result<std::vector<ExportedFile>> export_flashinfer_trace(std::span<const RunRecords> runs,
                                                          const std::string& problems_folder) {
  Exporter exporter(problems_folder);
  for (const RunRecords& run : runs) {
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
      for (const TurnRecord& turn : run.trajectories[i].turns) {
        if (auto added = exporter.add(run, run.experiment.trajectories[i], turn); !added) {
          return fail(added.error());
        }
      }
    }
  }
  return exporter.take();
}

}  // namespace ptxbatch
