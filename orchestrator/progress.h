// Progress for people: one line that updates on a terminal, plain lines now and then in the log.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/time_source.h"
#include "orchestrator/run_state.h"
#include "ranks/coordination.h"

namespace ptxbatch {

class Progress {
 public:
  /// `max_turns` of a trajectory, for the estimate; the line is drawn on stderr when it is a
  /// terminal.
  explicit Progress(int max_turns, const TimeSource& time = system_time());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void activity(int rank, const Activity& activity);
  void forget(int rank) { activities_.erase(rank); }
  /// Draws when it is time to.
  void update(const RunState& state);
  /// Ends the line, so that other text can follow.
  void finish_line();

  /// Seconds that are left, estimated; nothing while that is not possible.
  [[nodiscard]] std::optional<double> left_s(const RunState& state) const;
  /// What the rank said last.
  [[nodiscard]] Activity activity_of(int rank) const;

  /// "57 turns (20 correct), 4/12 trajectories, device busy 63 %, 3 model calls out, about 2 min
  /// left"
  [[nodiscard]] std::string text(const RunState& state) const;

 private:
  [[nodiscard]] std::string remaining_time(const RunState& state) const;

  int max_turns_;
  const TimeSource& time_;
  bool terminal_;
  bool line_open_ = false;
  std::int64_t first_turns_ = -1;  // turns at the first update: the rate counts this session alone
  SteadyClock::time_point started_at_;
  SteadyClock::time_point drawn_at_;
  SteadyClock::time_point logged_at_;
  std::map<int, Activity> activities_;  // by rank, the latest
};

}  // namespace ptxbatch
