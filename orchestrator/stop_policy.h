// How long turns in hand may go on once something asks for a stop. Every request is orderly: no new
// work, and what is in hand is finished or, at the deadline, abandoned; everything is on disk then.
//
//   USR1           sent ahead of the time limit: until shortly before the end of the allocation
//   TERM           the batch system ends the job and kills it 30 s later (Slurm's KillWait)
//   INT            someone at the terminal; the second one does not want to wait
//   the end nears  the same as USR1, where nobody sent one
//
// They may come in any order and several times: the earliest deadline holds.
#pragma once

#include <optional>

#include "common/clock.h"
#include "orchestrator/stop_signal.h"

namespace ptxbatch {

class StopPolicy {
 public:
  /// `longest_turn_s`: no turn in hand takes longer.
  StopPolicy(std::optional<Deadline> allocation_end, double longest_turn_s)
      : allocation_end_(allocation_end), longest_turn_s_(longest_turn_s) {}

  /// The deadline for turns in hand when it has become earlier, or was set for the first time.
  std::optional<Deadline> update(const StopSignals& seen, Deadline now);

  /// Why, for the log.
  [[nodiscard]] const char* reason() const { return reason_; }

 private:
  void no_later_than(Deadline deadline, const char* reason);
  [[nodiscard]] Deadline latest(Deadline now) const;

  std::optional<Deadline> allocation_end_;
  double longest_turn_s_;
  StopSignals seen_;
  bool end_is_near_ = false;
  std::optional<Deadline> deadline_;
  const char* reason_ = "";
};

}  // namespace ptxbatch
