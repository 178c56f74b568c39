// Time as the program uses it: a steady clock for durations and deadlines, seconds as doubles.
#pragma once

#include <algorithm>
#include <chrono>

namespace ptxbatch {

using SteadyClock = std::chrono::steady_clock;
using Deadline = SteadyClock::time_point;

inline SteadyClock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

inline double in_seconds(SteadyClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

inline Deadline deadline_in(double seconds) {
  return SteadyClock::now() + duration_of(seconds);
}

inline double seconds_since(SteadyClock::time_point start) {
  return in_seconds(SteadyClock::now() - start);
}

/// Milliseconds left for poll(2): rounded up, never negative.
inline int poll_timeout_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
  return left.count() < 0 ? 0 : static_cast<int>(std::min<long long>(left.count(), 1'000'000'000));
}

/// Seconds since 1970-01-01 UTC.
inline double unix_time_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace ptxbatch
