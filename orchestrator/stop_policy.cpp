#include "orchestrator/stop_policy.h"

#include <algorithm>

namespace ptxbatch {
namespace {

constexpr double kGraceS = 30;      // where no end is known
constexpr double kTermGraceS = 12;  // KillWait is 30 s; ranks answer and files are written after it
constexpr double kFinishS = 30;     // what that takes at the end of an allocation
constexpr double kLeadS = 60;       // before the end of an allocation, when no signal has come

}  // namespace

void StopPolicy::no_later_than(Deadline deadline, const char* reason) {
  if (deadline_ && *deadline_ <= deadline) return;
  deadline_ = deadline;
  reason_ = reason;
}

// Without new work a run ends after its longest turn; a far deadline costs nothing.
Deadline StopPolicy::latest(Deadline now) const {
  if (!allocation_end_) return now + duration_of(kGraceS);
  const Deadline last =
      std::min(*allocation_end_ - duration_of(kFinishS), now + duration_of(longest_turn_s_));
  return std::max(last, now);
}

std::optional<Deadline> StopPolicy::update(const StopSignals& seen, Deadline now) {
  const std::optional<Deadline> before = deadline_;
  if (seen.usr1 > seen_.usr1) no_later_than(latest(now), "signal USR1");
  if (seen.terminate > seen_.terminate) {
    no_later_than(std::min(now + duration_of(kTermGraceS), latest(now)), "signal TERM");
  }
  if (seen.interrupt > seen_.interrupt) {
    const bool again = seen.interrupt > 1;
    no_later_than(again ? now : std::min(now + duration_of(kGraceS), latest(now)),
                  again ? "a second signal INT" : "signal INT");
  }
  seen_ = seen;
  if (allocation_end_ && !end_is_near_ && now >= *allocation_end_ - duration_of(kLeadS)) {
    end_is_near_ = true;
    no_later_than(latest(now), "the end of the allocation");
  }
  return deadline_ != before ? deadline_ : std::nullopt;
}

}  // namespace ptxbatch
