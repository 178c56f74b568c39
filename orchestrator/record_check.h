// Whether the records of a run hang together, one by one in their order: every turn follows its
// reply, every reply names a prompt that is there, turns of a trajectory are contiguous, an end
// agrees with the turns before it, hashes are those of their texts. For files of which something
// may be lost; a running coordinator needs RunState alone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/run_state.h"
#include "results/records.h"

namespace ptxbatch {

class RecordCheck {
 public:
  /// Takes the record up, or says why it cannot follow those before it and must be left out.
  std::optional<std::string> take(const Record& record);

  /// From here on records may be missing: ends that need not follow from the turns are no longer
  /// believed (the run finds them out again).
  void something_is_lost() { lost_ = true; }

  [[nodiscard]] const RunState& state() const { return state_; }
  /// What was taken up although something that it names is missing or not what it says.
  [[nodiscard]] const std::vector<std::string>& doubts() const { return doubts_; }
  [[nodiscard]] std::int64_t replies() const { return replies_; }

 private:
  struct LastTurn {
    bool correct = false;
    double best_speedup = 0;
  };
  [[nodiscard]] std::optional<std::string> refuse(const TrajectoryEndRecord& end) const;
  void doubt(const PromptRecord& prompt);
  void doubt(const ReplyRecord& reply);
  void doubt(const TurnRecord& turn);
  void remember(const Record& record);

  RunState state_;
  std::vector<LastTurn> last_turns_;  // by trajectory
  std::set<std::string> prompts_missing_;
  std::vector<std::string> doubts_;
  std::int64_t replies_ = 0;
  bool lost_ = false;
};

}  // namespace ptxbatch
