// Time that stands still until the test moves it.
#pragma once

#include "common/time_source.h"

namespace ptxbatch {

class HandSetTime final : public TimeSource {
 public:
  [[nodiscard]] SteadyClock::time_point now() const override {
    return SteadyClock::time_point() + duration_of(now_s_);
  }
  [[nodiscard]] double unix_time_s() const override { return kStart_s + now_s_; }

  void pass(double seconds) { now_s_ += seconds; }

 private:
  static constexpr double kStart_s = 1'800'000'000;
  double now_s_ = 1'000'000;
};

}  // namespace ptxbatch
