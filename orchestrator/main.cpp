// The command line. Each command is a few lines here; the work is behind it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "analysis/figures.h"
#include "analysis/tables.h"
#include "common/log.h"
#include "common/version.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/plan.h"
#include "orchestrator/run.h"
#include "orchestrator/status.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

int report(const Error& error) {
  fmt::print(stderr, "ptxbatch: {}\n", describe(error));
  return kExitError;
}

int report(const std::vector<Error>& errors) {
  for (const Error& error : errors) report(error);
  return kExitError;
}

int plan(const std::string& file, bool list) {
  auto experiment = read_experiment_file(file);
  if (!experiment) return report(experiment.error());
  if (auto errors = check_inputs(*experiment); !errors.empty()) return report(errors);
  const auto trajectories = expand_plan(*experiment);
  fmt::print("{}", describe_plan(*experiment, trajectories));
  if (!list) return kExitDone;
  fmt::print("\n");
  for (const PlannedTrajectory& trajectory : trajectories) {
    fmt::print("{:>6}  {}  {}  {}  {}  '{}'  replica {}\n", trajectory.index, trajectory.model,
               trajectory.target, trajectory.problem, trajectory.id, trajectory.prompt_tag,
               trajectory.replica);
  }
  return kExitDone;
}

int status(const std::string& file) {
  auto text = describe_status(file);
  if (!text) return report(text.error());
  fmt::print("{}", *text);
  return kExitDone;
}

Result<std::vector<TurnTable>> read_turn_tables(const std::vector<std::string>& files) {
  std::vector<TurnTable> tables;
  for (const std::string& file : files) {
    auto table = read_turn_table(file);
    if (!table) return fail(table.error());
    tables.push_back(std::move(*table));
  }
  return tables;
}

SpeedupKind speedup_kind(const std::string& name) {
  return name == "paired" ? SpeedupKind::kPaired : SpeedupKind::kPaper;
}

int tables(const std::vector<std::string>& files, const std::string& format,
           const std::vector<std::int32_t>& turns, const std::string& speedup) {
  auto loaded = read_turn_tables(files);
  if (!loaded) return report(loaded.error());
  TableOptions options;
  options.format = *table_format_from_name(format);
  options.turns = turns;
  options.speedup = speedup_kind(speedup);
  options.width = terminal_columns(STDOUT_FILENO).value_or(0);
  fmt::print("{}", render_tables(*loaded, options));
  return kExitDone;
}

int figures(const std::vector<std::string>& files, const std::string& folder,
            const std::string& speedup) {
  auto loaded = read_turn_tables(files);
  if (!loaded) return report(loaded.error());
  FigureOptions options;
  options.folder = folder;
  options.speedup = speedup_kind(speedup);
  auto written = write_figures(*loaded, options);
  if (!written) return report(written.error());
  for (const std::string& path : *written) fmt::print("{}\n", path);
  return kExitDone;
}

int dispatch(int argc, char** argv) {
  CLI::App app{"PTXBatch: PTXBench as a reproducible batch experiment", "ptxbatch"};
  app.set_version_flag("--version", fmt::format("ptxbatch {} ({})", kVersion, kGitCommit));
  app.require_subcommand(1);
  int exit_code = kExitDone;

  std::string experiment_file;
  bool list = false;
  CLI::App* plan_command = app.add_subcommand("plan", "Show what an experiment file would run");
  plan_command->add_option("EXPERIMENT", experiment_file, "Experiment file (TOML)")->required();
  plan_command->add_flag("--list", list, "List every trajectory");
  plan_command->callback([&] { exit_code = plan(experiment_file, list); });

  RunOptions run;
  CLI::App* run_command = app.add_subcommand(
      "run", "Run an experiment, or go on with one; alone or under mpirun or srun");
  run_command->add_option("EXPERIMENT", run.experiment_file, "Experiment file (TOML)")->required();
  run_command->add_option("-o,--output", run.output, "Results file (NAME.h5)")->required();
  run_command->add_option("--log", run.log, "Log file, appended to; default: OUTPUT.log");
  run_command->add_option("--ranks", run.ranks, "Working ranks when there is no MPI launcher")
      ->check(CLI::Range(1, 1024));
  run_command->callback([&] { exit_code = run_experiment(run); });

  std::string results_file;
  CLI::App* status_command =
      app.add_subcommand("status", "Show where a run stands, running or not");
  status_command->add_option("RESULTS", results_file, "Results file (NAME.h5)")->required();
  status_command->callback([&] { exit_code = status(results_file); });

  std::vector<std::string> results_files;
  std::string format = "terminal";
  std::vector<std::int32_t> turns = {1, 4, 8};
  std::string speedup = "paper";
  const auto add_speedup = [&](CLI::App* command) {
    command->add_option("--speedup", speedup, "Which speedup: paper (medians) or paired blocks")
        ->check(CLI::IsMember({"paper", "paired"}));
  };
  CLI::App* tables_command = app.add_subcommand("tables", "Print the tables of results files");
  tables_command->add_option("RESULTS", results_files, "Results files")->required();
  tables_command->add_option("--format", format, "terminal, markdown, csv or latex")
      ->check(CLI::IsMember({"terminal", "markdown", "csv", "latex"}));
  tables_command->add_option("--turns", turns, "Turn limits of the cells")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  add_speedup(tables_command);
  tables_command->callback([&] { exit_code = tables(results_files, format, turns, speedup); });

  std::string folder = "figures";
  CLI::App* figures_command =
      app.add_subcommand("figures", "Draw the Fast_p curves (SVG, PDF, CSV)");
  figures_command->add_option("RESULTS", results_files, "Results files")->required();
  figures_command->add_option("-o,--output", folder, "Folder for the figures; default: figures");
  add_speedup(figures_command);
  figures_command->callback([&] { exit_code = figures(results_files, folder, speedup); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitError;
  }
  return exit_code;
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  try {
    if (auto started = ptxbatch::start_log("", ""); !started) return ptxbatch::kExitError;
    return ptxbatch::dispatch(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ptxbatch: internal error: {}\n", error.what());
    return ptxbatch::kExitError;
  }
}
