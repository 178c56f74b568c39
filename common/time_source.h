// Time as something that is passed in, where a test or a simulator may want another than the
// machine's: the coordinator and what it owns.
#pragma once

#include "common/clock.h"

namespace ptxbatch {

class TimeSource {
 public:
  virtual ~TimeSource() = default;
  /// For durations and deadlines.
  [[nodiscard]] virtual SteadyClock::time_point now() const = 0;
  /// Seconds since 1970-01-01 UTC, for what is stored.
  [[nodiscard]] virtual double unix_time_s() const = 0;

  [[nodiscard]] Deadline deadline_in(double seconds) const { return now() + duration_of(seconds); }
  [[nodiscard]] double seconds_since(SteadyClock::time_point start) const {
    return in_seconds(now() - start);
  }
};

class SystemTime final : public TimeSource {
 public:
  [[nodiscard]] SteadyClock::time_point now() const override { return SteadyClock::now(); }
  [[nodiscard]] double unix_time_s() const override { return ptxbatch::unix_time_s(); }
};

/// The machine's time; it has no state.
inline const TimeSource& system_time() {
  static const SystemTime time;
  return time;
}

}  // namespace ptxbatch
