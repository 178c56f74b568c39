#include "orchestrator/prepare_run.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/log.h"
#include "common/version.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/input_check.h"
#include "orchestrator/installation.h"
#include "orchestrator/model_section.h"
#include "orchestrator/output_file.h"
#include "orchestrator/plan.h"
#include "orchestrator/report_error.h"
#include "ranks/generation.h"

namespace ptxbatch {
namespace {

using Errors = std::vector<Error>;

ExperimentRecord experiment_record(const Experiment& experiment) {
  ExperimentRecord record;
  record.name = experiment.name;
  record.text = experiment.text;
  record.program_version = kVersion;
  record.git_commit = kGitCommit;
  record.started_at_s = unix_time_s();
  record.turns = experiment.protocol.turns;
  record.target_speedup = experiment.protocol.target_speedup;
  record.trajectories = expand_plan(experiment);
  return record;
}

// Gateways must be there, and leave somebody to work.
Status check_gateways(const Experiment& experiment, int working_ranks) {
  if (!experiment.rank.gateways) return {};
  int gateways = 0;
  for (int rank = 1; rank <= working_ranks; ++rank) gateways += is_gateway(experiment, rank);
  if (gateways > 0 && gateways < working_ranks) return {};
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = fmt::format("of {} working ranks, {} are gateways", working_ranks, gateways);
  error.hint =
      "At least one must be a gateway and one must not. Ranks that work count from 1: start more "
      "processes, or change gateway_ranks.";
  error.file = experiment.file;
  error.key = "rank.gateway_ranks";
  return fail(std::move(error));
}

// A gateway may know addresses that this process does not.
Errors check_addresses(std::vector<ModelSpec> models, const RankSettings& rank) {
  Errors errors;
  if (rank.gateways) return errors;
  for (ModelSpec& model : models) {
    if (auto taken = take_url_from_environment(model); !taken) errors.push_back(taken.error());
  }
  return errors;
}

// Before anything is read: what a run could never write.
Status check_outputs(const RunOptions& options) {
  if (auto fit = check_output(options.output, {options.experiment_file}); !fit) return fit;
  auto fit = check_text_output(
      log_path(options), {options.experiment_file, options.output, journal_path(options.output)});
  if (!fit) fit.error().hint = "Give another file with --log.";
  return fit;
}

// Once it is known that there is something to run.
Status prepare_outputs(const RunOptions& options) {
  for (const std::string& path : {options.output, log_path(options)}) {
    if (auto made = make_folder_for(path); !made) return made;
  }
  if (auto log = real_file_system().open_append(log_path(options)); !log) {
    log.error().hint = options.log.empty()
                           ? "The log stands beside the output: choose a path after -o that you "
                             "may write to, or another log with --log."
                           : "Choose another path after --log.";
    return fail(log.error());
  }
  return {};
}

bool is_done(const RunState& state) {
  return state.complete() && state.failed() == 0;
}

void take_limits(const RunOptions& options, SpendingLimits& spending) {
  if (options.max_tokens > 0) spending.max_tokens = options.max_tokens;
  if (options.max_cost_usd > 0) spending.max_cost_usd = options.max_cost_usd;
}

/// With all that can be found out before anything is written.
tl::expected<Experiment, Errors> read_checked(const RunOptions& options, int working_ranks) {
  const auto failed = [](const Error& error) { return tl::unexpected(Errors{error}); };
  if (auto fit = check_outputs(options); !fit) return failed(fit.error());
  auto experiment = read_experiment_file(options.experiment_file);
  if (!experiment) return experiment;
  take_limits(options, experiment->spending);
  if (auto errors = check_inputs(*experiment); !errors.empty()) return tl::unexpected(errors);
  if (auto errors = check_addresses(experiment->models, experiment->rank); !errors.empty()) {
    return tl::unexpected(errors);
  }
  for (const TargetSpec& target : experiment->targets) {
    if (auto programs = find_target_programs(target.name); !programs) {
      return failed(programs.error());
    }
  }
  if (auto checked = check_gateways(*experiment, working_ranks); !checked) {
    return failed(checked.error());
  }
  return experiment;
}

Result<std::unique_ptr<RunStore>> open_store(const RunOptions& options,
                                             const Experiment& experiment) {
  if (auto ready = prepare_outputs(options); !ready) return fail(ready.error());
  return RunStore::open(real_file_system(), options.output, experiment_record(experiment));
}

void say_what_is_there(const std::string& output, const RunStore& store, int working_ranks) {
  if (store.torn_bytes() > 0) {
    spdlog::warn("the journal ended in an unfinished record of {} bytes; it was cut off",
                 store.torn_bytes());
  }
  if (const auto& added = store.extended(); !added.empty()) {
    fmt::print("Extending {}: {}. What is there stays as it is.\n", output, fmt::join(added, ", "));
  }
  if (const auto& changed = store.changed(); !changed.empty()) {
    fmt::print("Going on with other settings: {}.\n", fmt::join(changed, ", "));
  }
  const RunState& state = store.state();
  if (is_done(state)) {
    fmt::print("{} is complete already: {} trajectories, {} turns.\n", output, state.ended(),
               state.turns());
    return;
  }
  if (static_cast<std::size_t>(working_ranks) > state.trajectories().size()) {
    spdlog::warn("{} ranks for {} trajectories: the surplus ranks will have nothing to do",
                 working_ranks, state.trajectories().size());
  }
  if (store.resumed()) {
    fmt::print("Resuming {}: {} of {} trajectories and {} turns are done.\n", output, state.ended(),
               state.trajectories().size(), state.turns());
  }
}

}  // namespace

std::string log_path(const RunOptions& options) {
  return options.log.empty() ? options.output + ".log" : options.log;
}

tl::expected<Prepared, int> prepare_run(const RunOptions& options, int working_ranks) {
  auto experiment = read_checked(options, working_ranks);
  if (!experiment) return tl::unexpected(report(experiment.error()));
  auto store = open_store(options, *experiment);
  if (!store) return tl::unexpected(report(store.error()));
  const bool done = is_done((*store)->state());
  if (done) {
    if (auto finished = (*store)->finish(); !finished) {
      report(finished.error());
      return tl::unexpected(kExitResumable);
    }
  }
  say_what_is_there(options.output, **store, working_ranks);
  if (done) return tl::unexpected(kExitDone);
  return Prepared{std::move(*experiment), std::move(*store)};
}

}  // namespace ptxbatch
