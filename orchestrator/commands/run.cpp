// ptxbatch run: run an experiment, or go on with one.

#include "orchestrator/run.h"

#include <memory>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"

namespace ptxbatch {

void add_run_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Run an experiment, or go on with one; alone or under mpirun or srun");
  command->add_option("EXPERIMENT", options->experiment_file, "Experiment file (TOML)")->required();
  command->add_option("-o,--output", options->output, "Results file (NAME.h5)")->required();
  command->add_option("--log", options->log, "Log file, appended to; default: OUTPUT.log");
  command->add_option("--ranks", options->ranks, "Working ranks when there is no MPI launcher")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--max-tokens", options->max_tokens,
                   "Tokens that all model calls may use, instead of the experiment file's")
      ->check(whole_number_from(1));
  command
      ->add_option("--max-cost-usd", options->max_cost_usd,
                   "What all model calls may cost, instead of the experiment file's")
      ->check(positive_amount());
  command->add_flag("--allow-unfit", options->allow_unfit,
                    "Go on without ranks that cannot work: no GPU of its own, another "
                    "architecture, another program, no compiler");
  command->callback([options, &exit_code] { exit_code = run_experiment(*options); });
}

}  // namespace ptxbatch
