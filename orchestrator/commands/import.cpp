// ptxbatch import: results of others as a results file.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "results/published_import.h"
#include "results/results_file.h"

namespace ptxbatch {
namespace {

struct ImportCommand {
  PublishedImport import;
  std::string unknown_turns;
  bool overwrite = false;
};

// What stands at the output already must be meant to go.
Status check_output(const std::string& path, bool overwrite) {
  const auto conflict = [&](std::string what, std::string hint) {
    return fail(Error{ErrorKind::kConflict, std::move(what), std::move(hint), path, 0, 0, {}});
  };
  if (real_file_system().exists(path + ".journal")) {
    return conflict("is the output of a run, whose journal is beside it", "Give another name.");
  }
  if (!overwrite && real_file_system().exists(path)) {
    return conflict("exists already", "Give another name, or --overwrite to replace it.");
  }
  return {};
}

int import_published(const ImportCommand& command) {
  PublishedImport import = command.import;
  if (!command.unknown_turns.empty()) import.unknown_turns = command.unknown_turns;
  if (auto free = check_output(import.output, command.overwrite); !free) {
    return report(free.error());
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
  command->add_flag("--overwrite", options->overwrite, "Replace the results file if there is one");
  command->callback([options, &exit_code] { exit_code = import_published(*options); });
}

}  // namespace ptxbatch
