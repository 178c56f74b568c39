#include "orchestrator/status.h"

#include <fmt/format.h>

#include "common/clock.h"
#include "common/file_system.h"
#include "orchestrator/duration_text.h"
#include "orchestrator/run_store.h"
#include "results/lock_holder.h"

namespace ptxbatch {
namespace {

// Running, dead or done, from the lock and the state.
std::string activity_text(const std::string& results_path, const RunState& state) {
  const auto lock = read_text(lock_path(results_path));
  const auto holder = lock ? LockHolder::parse(*lock) : std::nullopt;
  if (holder && !is_gone(*holder, LockHolder::current())) {
    return "running: " + holder->describe();
  }
  if (state.complete() && state.failed() == 0) return "complete";
  if (state.complete()) return "finished with failures; the same command tries those again";
  return holder ? "dead (its process is gone); the same command goes on from here"
                : "stopped; the same command goes on from here";
}

std::string labels_text(const RunState& state) {
  std::string text;
  for (int i = 0; i < kLabelCount; ++i) {
    const auto count = state.labels()[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    text += fmt::format("  {:<28}{:>8}\n", label_name(static_cast<Label>(i)), count);
  }
  return text;
}

std::string failures_text(const RunState& state) {
  std::string text;
  for (std::size_t i = 0; i < state.trajectories().size(); ++i) {
    const TrajectoryState& trajectory = state.trajectories()[i];
    if (trajectory.end != TrajectoryEnd::kFailed) continue;
    const PlannedTrajectory& plan = state.experiment()->trajectories[i];
    text += fmt::format("  {} {} {} {}: {}\n", plan.model, plan.target, plan.problem, plan.id,
                        trajectory.message);
  }
  return text;
}

}  // namespace

Result<std::string> describe_status(const std::string& results_path) {
  auto state = read_run_state(results_path);
  if (!state) return fail(state.error());
  std::string text = fmt::format("{}: {}\n{}\n", results_path, state->experiment()->name,
                                 activity_text(results_path, *state));
  std::size_t begun = 0;
  for (const TrajectoryState& trajectory : state->trajectories()) {
    if (!trajectory.end && (!trajectory.history.empty() || trajectory.pending_reply)) ++begun;
  }
  text += fmt::format("trajectories: {} of {} ended, {} begun", state->ended(),
                      state->trajectories().size(), begun);
  if (state->failed() > 0) text += fmt::format(", {} FAILED", state->failed());
  text += fmt::format("\nturns: {}", state->turns());
  if (state->last_turn_at_s() > 0)  // imported turns have no time
    text += ", the last one " + duration_text(unix_time_s() - state->last_turn_at_s()) + " ago";
  text += fmt::format("\nsessions: {}\n", state->sessions());
  if (const RunState::Spending& spent = state->spending(); spent.tokens > 0) {
    text += fmt::format("model calls: {} tokens", spent.tokens);
    text += spent.cost_usd > 0 ? fmt::format(", ${:.2f}\n", spent.cost_usd) : "\n";
  }
  text += labels_text(*state);
  if (state->failed() > 0) text += "failed:\n" + failures_text(*state);
  return text;
}

}  // namespace ptxbatch
