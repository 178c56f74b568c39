#include "orchestrator/status.h"

#include "common/clock.h"
#include "common/file_system.h"
#include "orchestrator/run_store.h"
#include "results/lock_holder.h"

namespace ptxbatch {
namespace {

// The coordinator writes every few seconds; a slow file system may show it late.
constexpr double kFreshS = 60;

// Who holds the lock, unless it is certain that he is gone.
struct Holder {
  bool locked = false;
  bool alive = false;
  std::string description;
};

Holder holder_of(const std::string& results_path) {
  const auto lock = read_text(lock_path(results_path));
  const auto holder = lock ? LockHolder::parse(*lock) : std::nullopt;
  if (!holder) return {};
  const bool gone = is_gone(*holder, LockHolder::current());
  return {true, !gone, gone ? "" : holder->describe()};
}

RunStatus::State state_of(const Holder& holder, const RunTotals& totals) {
  if (holder.alive) return RunStatus::State::kRunning;
  if (totals.ended == totals.trajectories) {
    return totals.failed > 0 ? RunStatus::State::kFinishedWithFailures
                             : RunStatus::State::kComplete;
  }
  return holder.locked ? RunStatus::State::kDead : RunStatus::State::kStopped;
}

std::vector<RunFailure> failures_of(const RunState& state) {
  std::vector<RunFailure> failures;
  for (std::size_t i = 0; i < state.trajectories().size(); ++i) {
    const TrajectoryState& trajectory = state.trajectories()[i];
    if (trajectory.end != TrajectoryEnd::kFailed) continue;
    const PlannedTrajectory& plan = state.experiment()->trajectories[i];
    failures.push_back(
        {plan.model + " " + plan.target + " " + plan.problem + " " + plan.id, trajectory.message});
  }
  return failures;
}

}  // namespace

Result<RunStatus> read_status(const std::string& results_path) {
  const Holder holder = holder_of(results_path);  // before the records: a run may end meanwhile
  auto state = read_run_state(results_path);
  if (!state) return fail(state.error());
  RunStatus status;
  status.results_path = results_path;
  status.experiment = state->experiment()->name;
  status.holder = holder.description;
  status.totals = totals_of(*state);
  status.limit_reached = state->limit_reached();
  status.state = state_of(holder, status.totals);
  status.failures = failures_of(*state);
  if (status.running()) status.live = read_live_status(results_path);
  return status;
}

Result<RunStatus> refresh_status(const RunStatus& before) {
  const Holder holder = holder_of(before.results_path);
  auto live = read_live_status(before.results_path);
  const bool fresh = live && unix_time_s() - live->updated_at_s < kFreshS;
  if (!holder.alive || !fresh || live->totals.failed != before.totals.failed) {
    return read_status(before.results_path);
  }
  RunStatus status = before;
  status.totals = live->totals;
  status.state = RunStatus::State::kRunning;
  status.holder = holder.description;
  status.live = std::move(live);
  return status;
}

}  // namespace ptxbatch
