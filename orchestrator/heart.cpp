#include "orchestrator/heart.h"

#include <utility>

#include "common/clock.h"

namespace ptxbatch {

Heart::Heart(double interval_s, std::function<void()> beat)
    : beat_(std::move(beat)), interval_s_(interval_s), thread_([this] { run(); }) {}

Heart::~Heart() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Heart::set_interval(double interval_s) {
  {
    const std::lock_guard lock(mutex_);
    interval_s_ = interval_s;
    interval_changed_ = true;
  }
  changed_.notify_all();
}

void Heart::run() {
  std::unique_lock lock(mutex_);
  const auto disturbed = [this] { return stopped_ || interval_changed_; };
  while (!stopped_) {
    interval_changed_ = false;
    if (interval_s_ <= 0) {
      changed_.wait(lock, disturbed);
      continue;
    }
    if (changed_.wait_until(lock, deadline_in(interval_s_), disturbed)) continue;
    lock.unlock();
    beat_();
    lock.lock();
  }
}

CoordinatorWatch::CoordinatorWatch(double silence_s, std::function<void()> beat,
                                   std::function<void()> lost)
    : beat_(std::move(beat)),
      lost_(std::move(lost)),
      heart_(silence_s / kBeatsOfSilence, [this] { tick(); }) {}

void CoordinatorWatch::heard() {
  const std::lock_guard lock(mutex_);
  silent_beats_ = 0;
}

void CoordinatorWatch::tick() {
  beat_();
  {
    const std::lock_guard lock(mutex_);
    if (++silent_beats_ != kBeatsOfSilence + 1) return;
  }
  lost_();
}

}  // namespace ptxbatch
