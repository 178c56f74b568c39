// Time that passes when a simulation says so.
#pragma once

#include <algorithm>
#include <optional>

#include "common/time_source.h"

namespace ptxbatch {

class VirtualTime final : public TimeSource {
 public:
  [[nodiscard]] SteadyClock::time_point now() const override {
    return SteadyClock::time_point() + duration_of(now_s());
  }
  [[nodiscard]] double unix_time_s() const override { return kStart_s + now_s(); }

  /// Seconds since the simulation began.
  [[nodiscard]] double elapsed_s() const { return now_s() - kFirst_s; }
  /// The same for a point of this time.
  [[nodiscard]] static double elapsed_s(SteadyClock::time_point point) {
    return in_seconds(point - SteadyClock::time_point()) - kFirst_s;
  }
  /// Never backwards.
  void move_to(double elapsed_s) { elapsed_s_ = std::max(elapsed_s_, elapsed_s); }

  /// Between these two the machine's time passes here too: what the coordinator takes for its work.
  void run_with_the_machine() { running_since_ = SteadyClock::now(); }
  void stand_still() {
    elapsed_s_ = this->elapsed_s();
    running_since_.reset();
  }

 private:
  static constexpr double kStart_s = 1'800'000'000;
  static constexpr double kFirst_s = 1'000'000;

  [[nodiscard]] double now_s() const {
    return kFirst_s + elapsed_s_ + (running_since_ ? ptxbatch::seconds_since(*running_since_) : 0);
  }

  double elapsed_s_ = 0;
  std::optional<SteadyClock::time_point> running_since_;
};

}  // namespace ptxbatch
