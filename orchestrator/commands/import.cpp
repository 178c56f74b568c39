// ptxbatch import: results of others as a results file.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "orchestrator/output_file.h"
#include "results/published_experiment.h"
#include "results/published_import.h"
#include "results/results_file.h"
#include "results/run_files.h"

namespace ptxbatch {
namespace {

struct ImportCommand {
  PublishedImport import;
  std::string unknown_turns;
  bool overwrite = false;
};

// Only what was imported, and so can be imported again, may be replaced.
Status check_replaced(const std::string& path, bool overwrite) {
  const auto conflict = [&](std::string what, std::string hint) {
    return fail(Error{ErrorKind::kConflict, std::move(what), std::move(hint), path, 0, 0, {}});
  };
  for (const std::string& beside : {journal_path(path), lock_path(path)}) {
    if (real_file_system().exists(beside)) {
      return conflict("is the output of a run: " + beside + " is beside it", "Give another name.");
    }
  }
  if (!real_file_system().exists(path)) return {};
  if (!overwrite) {
    return conflict("exists already", "Give another name, or --overwrite to replace it.");
  }
  const auto summary = read_results_summary(path);
  if (summary && is_published_experiment(summary->experiment_text)) return {};
  return conflict("is no imported results file and is not replaced",
                  "Give another name, or move the file away first.");
}

Status prepare_output(const PublishedImport& import, bool overwrite) {
  std::vector<std::string> inputs = {import.turns, import.experiment};
  if (import.unknown_turns) inputs.push_back(*import.unknown_turns);
  if (auto fit = check_output(import.output, inputs); !fit) return fit;
  if (auto free = check_replaced(import.output, overwrite); !free) return free;
  return make_folder_for(import.output);
}

int import_published(const ImportCommand& command) {
  PublishedImport import = command.import;
  if (!command.unknown_turns.empty()) import.unknown_turns = command.unknown_turns;
  if (auto ready = prepare_output(import, command.overwrite); !ready) {
    return report(ready.error());
  }
  const auto imported = import_published(real_file_system(), import);
  if (!imported) return report(imported.error());
  fmt::print("{}: {} turns of {} trajectories in {} runs\n", import.output, imported->turns,
             imported->trajectories, imported->runs);
  for (const std::string& note : imported->notes) fmt::print("note: {}\n", note);
  return kExitDone;
}

}  // namespace

void add_import_command(CLI::App& app, int& exit_code) {
  CLI::App* import = app.add_subcommand("import", "Make a results file of results of others");
  import->require_subcommand(1);
  const auto options = std::make_shared<ImportCommand>();
  options->import.experiment = paper_experiment("published.toml");
  CLI::App* command =
      import->add_subcommand("published", "The published PTXBench turns, from their CSV files");
  command->add_option("TURNS", options->import.turns, "One row a turn (CSV)")->required();
  command->add_option("UNKNOWN", options->unknown_turns,
                      "Counts of correct turns whose dynamic profile is unknown (CSV)");
  command->add_option("-o,--output", options->import.output, "Results file (NAME.h5)")->required();
  command->add_option("--experiment", options->import.experiment,
                      "Names of models and problems, and what makes the paper's tables (TOML)");
  command->add_flag("--overwrite", options->overwrite,
                    "Replace a results file that was imported earlier");
  command->callback([options, &exit_code] { exit_code = import_published(*options); });
}

}  // namespace ptxbatch
