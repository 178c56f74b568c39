// ptxbatch plan: show what an experiment file would run.

#include "orchestrator/plan.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/input_check.h"

namespace ptxbatch {
namespace {

struct PlanCommand {
  std::string experiment_file;
  bool list = false;
};

int plan(const PlanCommand& command) {
  auto experiment = read_experiment_file(command.experiment_file);
  if (!experiment) return report(experiment.error());
  if (auto errors = check_inputs(*experiment); !errors.empty()) return report(errors);
  const auto trajectories = expand_plan(*experiment);
  fmt::print("{}", describe_plan(*experiment, trajectories));
  if (!command.list) return kExitDone;
  fmt::print("\n");
  for (const PlannedTrajectory& trajectory : trajectories) {
    fmt::print("{:>6}  {}  {}  {}  {}  '{}'  replica {}\n", trajectory.index, trajectory.model,
               trajectory.target, trajectory.problem, trajectory.id, trajectory.prompt_tag,
               trajectory.replica);
  }
  return kExitDone;
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<PlanCommand>();
  CLI::App* command = app.add_subcommand("plan", "Show what an experiment file would run");
  command->add_option("EXPERIMENT", options->experiment_file, "Experiment file (TOML)")->required();
  command->add_flag("--list", options->list, "List every trajectory");
  command->callback([options, &exit_code] { exit_code = plan(*options); });
}

}  // namespace ptxbatch
