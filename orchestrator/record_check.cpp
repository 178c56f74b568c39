#include "orchestrator/record_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/hash.h"

namespace ptxbatch {

std::optional<std::string> RecordCheck::take(const Record& record) {
  if (!state_.experiment() && !std::holds_alternative<ExperimentRecord>(record)) {
    return "nothing can stand before the experiment's record";
  }
  if (const auto* end = std::get_if<TrajectoryEndRecord>(&record); end != nullptr) {
    if (auto why = refuse(*end)) return why;
  }
  if (auto applied = state_.apply(record); !applied) return applied.error().what;
  remember(record);
  return std::nullopt;
}

std::optional<std::string> RecordCheck::refuse(const TrajectoryEndRecord& end) const {
  const auto index = static_cast<std::size_t>(end.trajectory);
  if (end.trajectory < 0 || index >= last_turns_.size()) return std::nullopt;  // RunState's to say
  const std::size_t turns = state_.trajectories()[index].history.size();
  const auto disagrees = [&](const std::string& why) {
    return fmt::format("the end of trajectory {} ('{}'): {}", end.trajectory,
                       trajectory_end_name(end.end), why);
  };
  switch (end.end) {
    case TrajectoryEnd::kTurnsDone: {
      const auto wanted = static_cast<std::size_t>(std::max(0, state_.experiment()->turns));
      if (turns >= wanted) return std::nullopt;
      return disagrees(fmt::format("only {} of {} turns stand before it", turns, wanted));
    }
    case TrajectoryEnd::kTargetReached: {
      const LastTurn& last = last_turns_[index];
      const bool reached = last.correct && last.best_speedup >= state_.experiment()->target_speedup;
      if (reached) return std::nullopt;
      return disagrees("the turn that reached it does not stand before it");
    }
    case TrajectoryEnd::kContextExhausted:
    case TrajectoryEnd::kRepliesExhausted:
      if (!lost_) return std::nullopt;
      return disagrees("turns before it may be lost; a run finds out again");
    case TrajectoryEnd::kFailed:
      return std::nullopt;
  }
  return std::nullopt;
}

void RecordCheck::remember(const Record& record) {
  if (std::holds_alternative<ExperimentRecord>(record)) {
    last_turns_.resize(state_.trajectories().size());
  } else if (const auto* prompt = std::get_if<PromptRecord>(&record); prompt != nullptr) {
    doubt(*prompt);
  } else if (const auto* reply = std::get_if<ReplyRecord>(&record); reply != nullptr) {
    ++replies_;
    doubt(*reply);
  } else if (const auto* turn = std::get_if<TurnRecord>(&record); turn != nullptr) {
    doubt(*turn);
    last_turns_[static_cast<std::size_t>(turn->trajectory)] = {
        turn->label == Label::kCorrect, std::max(turn->speedup, turn->paired_speedup)};
  }
}

void RecordCheck::doubt(const PromptRecord& prompt) {
  if (sha256_hex(prompt.text) == prompt.sha256) return;
  doubts_.push_back(fmt::format("the text of prompt {} is not what its hash says", prompt.sha256));
}

void RecordCheck::doubt(const ReplyRecord& reply) {
  if (reply.prompt_sha256.empty() || state_.has_prompt(reply.prompt_sha256)) return;
  if (!prompts_missing_.insert(reply.prompt_sha256).second) return;
  doubts_.push_back(
      fmt::format("the text of prompt {}, which the reply of turn {} of trajectory {} and perhaps "
                  "others answer, is missing",
                  reply.prompt_sha256, reply.turn, reply.trajectory));
}

void RecordCheck::doubt(const TurnRecord& turn) {
  if (turn.source.empty() || turn.source_sha256 == sha256_hex(turn.source)) return;
  doubts_.push_back(fmt::format("the source of turn {} of trajectory {} is not what its hash says",
                                turn.turn, turn.trajectory));
}

}  // namespace ptxbatch
