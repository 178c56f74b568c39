#include "orchestrator/run_state.h"

#include <algorithm>
#include <utility>

#include "results/experiment_versions.h"

namespace ptxbatch {
namespace {

tl::unexpected<Error> out_of_order(const std::string& what) {
  return fail(ErrorKind::kProtocol, what);
}

std::string turn_name(std::int32_t trajectory, std::int32_t turn) {
  return "turn " + std::to_string(turn) + " of trajectory " + std::to_string(trajectory);
}

}  // namespace

Status RunState::apply(const Record& record, JournalPlace place) {
  return std::visit(
      [this, place](const auto& body) {
        if constexpr (requires { take(body, place); }) {
          return take(body, place);
        } else {
          return take(body);
        }
      },
      record);
}

Result<TrajectoryState*> RunState::find(std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= trajectories_.size()) {
    return fail(ErrorKind::kProtocol, "there is no trajectory " + std::to_string(index));
  }
  return &trajectories_[static_cast<std::size_t>(index)];
}

Status RunState::take(const ExperimentRecord& record) {
  if (experiment_ && !extends(record, *experiment_)) {
    return out_of_order("a second experiment record that does not extend the first");
  }
  experiment_ = record;
  trajectories_.resize(record.trajectories.size());
  // Where there are more turns now, those that had done theirs go on.
  for (TrajectoryState& state : trajectories_) {
    const bool has_more =
        state.end == TrajectoryEnd::kTurnsDone && std::cmp_less(state.history.size(), record.turns);
    if (has_more) reopen(state);
  }
  return {};
}

Status RunState::take(const EnvironmentRecord& record) {
  environments_.push_back(record);
  return {};
}

Status RunState::take(const PromptRecord& record, JournalPlace place) {
  prompts_.try_emplace(record.sha256, place);
  return {};
}

Status RunState::take(const RequestRecord& record) {
  auto found = find(record.trajectory);
  if (!found) return fail(found.error());
  TrajectoryState& state = **found;
  if (state.end || state.pending_reply ||
      record.turn != static_cast<std::int32_t>(state.history.size())) {
    return out_of_order("a request out of order: " + turn_name(record.trajectory, record.turn));
  }
  state.awaits_reply = true;
  return {};
}

Status RunState::take(const ReplyRecord& record, JournalPlace place) {
  auto found = find(record.trajectory);
  if (!found) return fail(found.error());
  TrajectoryState& state = **found;
  const bool in_order = !state.end && !state.pending_reply &&
                        record.turn == static_cast<std::int32_t>(state.history.size());
  if (!in_order) {
    return out_of_order("a reply out of order: " + turn_name(record.trajectory, record.turn));
  }
  state.pending_reply = place;
  state.awaits_reply = false;
  if (const auto prompt = prompts_.find(record.prompt_sha256); prompt != prompts_.end()) {
    state.prompt = prompt->second;
  }
  spending_.tokens += record.prompt_tokens + record.completion_tokens;
  spending_.cost_usd += record.cost_usd;
  if (record.cost_usd == 0) {
    spending_.without_cost.insert(
        experiment_->trajectories[static_cast<std::size_t>(record.trajectory)].model);
  }
  return {};
}

Status RunState::take(const TurnRecord& record, JournalPlace place) {
  auto found = find(record.trajectory);
  if (!found) return fail(found.error());
  TrajectoryState& state = **found;
  if (state.end || !state.pending_reply ||
      record.turn != static_cast<std::int32_t>(state.history.size())) {
    return out_of_order("a turn out of order: " + turn_name(record.trajectory, record.turn));
  }
  state.history.push_back({*state.pending_reply, place});
  state.pending_reply.reset();
  ++turns_;
  ++labels_[static_cast<std::size_t>(record.label)];
  last_turn_at_s_ = std::max(last_turn_at_s_, record.finished_at_s);
  return {};
}

Status RunState::take(const TrajectoryEndRecord& record) {
  auto found = find(record.trajectory);
  if (!found) return fail(found.error());
  TrajectoryState& state = **found;
  // A trajectory that failed may end again: it was tried again in a later session.
  if (state.end && *state.end != TrajectoryEnd::kFailed) {
    return out_of_order("a second end of trajectory " + std::to_string(record.trajectory));
  }
  if (!state.end) ++ended_;
  if (state.end == TrajectoryEnd::kFailed) --failed_;
  if (record.end == TrajectoryEnd::kFailed) ++failed_;
  state.end = record.end;
  state.awaits_reply = false;
  state.message = record.message;
  return {};
}

Status RunState::take(const EventRecord& record) {
  sessions_ = std::max(sessions_, record.session + 1);
  // A later session takes up what failed in an earlier one. When a journal was recovered, the
  // record that said so may be among what it lost.
  if (record.kind == "resumed" || record.kind == "recovered") reopen_failed();
  if (record.kind == "resumed" || record.kind == kLimitReached) {
    limit_reached_ = record.kind == kLimitReached;
  }
  return {};
}

void RunState::reopen_failed() {
  for (TrajectoryState& state : trajectories_) {
    if (state.end == TrajectoryEnd::kFailed) reopen(state);
  }
}

void RunState::reopen(TrajectoryState& state) {
  if (state.end == TrajectoryEnd::kFailed) --failed_;
  --ended_;
  state.end.reset();
}

}  // namespace ptxbatch
