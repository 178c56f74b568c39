// ptxbatch export: results in the forms of others.

#include "analysis/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/repairs.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "orchestrator/output_file.h"
#include "ranks/prompt/repair_notes.h"

namespace ptxbatch {
namespace {

struct ExportCommand {
  std::vector<std::string> files;
  std::optional<std::string> output;  // a file
  std::string folder;
  std::string problems;
  bool target_instruction = false;
};

// The runs of the command, once it is known that its output may be written.
Result<std::vector<RunRecords>> read_runs(const ExportCommand& command) {
  if (command.output) {
    auto fit = check_text_output(*command.output, command.files);
    if (!fit) return fail(fit.error());
  }
  std::vector<RunRecords> runs;
  for (const std::string& file : command.files) {
    auto run = read_run(file);
    if (!run) return fail(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

// To standard output when no file is named.
int put(const std::string& text, const std::optional<std::string>& output) {
  if (!output) {
    fmt::print("{}", text);
    return kExitDone;
  }
  const auto written = write_output(*output, text);
  if (!written) return report(written.error());
  fmt::print("{}\n", *output);
  return kExitDone;
}

int turns(const ExportCommand& command) {
  const auto runs = read_runs(command);
  return runs ? put(export_turns_csv(*runs), command.output) : report(runs.error());
}

int chats(const ExportCommand& command) {
  const auto runs = read_runs(command);
  return runs ? put(export_chats(*runs), command.output) : report(runs.error());
}

RepairRecord record_of(const Repair& repair) {
  RepairRecord record;
  record.target = repair.planned->target;
  record.definition = repair.planned->definition;
  record.failed_kernel = repair.failed->source;
  record.label = label_name(repair.failed->label);
  if (!repair.rationale.empty()) record.notes = {repair.rationale};
  record.fixed_kernel = repair.correct->source;
  record.speedup = repair.correct->speedup;
  record.origin =
      fmt::format("{}: {}, {}, {}, turn {}", repair.experiment->name, repair.planned->model,
                  repair.planned->problem, repair.planned->id, repair.correct->turn);
  return record;
}

int notes(const ExportCommand& command) {
  const auto runs = read_runs(command);
  if (!runs) return report(runs.error());
  std::string lines;
  std::size_t count = 0;
  for (const Repair& repair : find_repairs(*runs)) {
    const bool present = repair.correct->target_instruction == TargetInstruction::kPresent;
    if (command.target_instruction && !present) continue;
    lines += repair_record_line(record_of(repair));
    ++count;
  }
  if (count == 0) {
    return report(Error{ErrorKind::kInput,
                        "these results have no repair",
                        "A repair is a turn that failed, directly followed by a correct one.",
                        {},
                        0,
                        0,
                        {}});
  }
  fmt::print(stderr, "{} {}\n", count, count == 1 ? "repair" : "repairs");
  return put(lines, command.output);
}

int flashinfer_trace(const ExportCommand& command) {
  const auto runs = read_runs(command);
  if (!runs) return report(runs.error());
  const auto files = export_flashinfer_trace(
      *runs, command.problems.empty() ? problems_folder() : command.problems);
  if (!files) return report(files.error());
  std::size_t solutions = 0;
  for (const ExportedFile& file : *files) {
    const auto path = std::filesystem::path(command.folder) / file.path;
    const auto written = write_output(path.string(), file.contents);
    if (!written) return report(written.error());
    if (file.path.starts_with("solutions/")) ++solutions;
  }
  fmt::print("{}: {} {}\n", command.folder, solutions,
             solutions == 1 ? "correct candidate" : "correct candidates");
  return kExitDone;
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "Write results in the forms of others");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, auto action) {
    CLI::App* form = command->add_subcommand(name, what);
    add_results_option(*form, options->files);
    form->callback([options, action, &exit_code] { exit_code = action(*options); });
    return form;
  };
  add("turns", "Turns as CSV", turns)
      ->add_option("-o,--output", options->output, "The file; default: standard output");
  add("chats", "Trajectories as chats, one JSON line each", chats)
      ->add_option("-o,--output", options->output, "The file; default: standard output");
  CLI::App* repairs =
      add("notes", "Repairs with what the model wrote of them: a corpus of notes", notes);
  repairs->add_option("-o,--output", options->output, "The file; default: standard output");
  repairs->add_flag("--with-target-instruction", options->target_instruction,
                    "Only repairs that executed the target instruction");
  CLI::App* trace =
      add("flashinfer-trace", "Correct candidates as FlashInfer-Trace solutions and traces",
          flashinfer_trace);
  trace->add_option("-o,--output", options->folder, "The folder")->required();
  trace->add_option(
      "--problems", options->problems,
      "Folder of the experiment's definitions and workloads; default: PTXBatch's own");
}

}  // namespace ptxbatch
