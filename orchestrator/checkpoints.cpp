#include "orchestrator/checkpoints.h"

#include <algorithm>

#include "common/log.h"

namespace ptxbatch {

Checkpoints::Checkpoints(RunStore& store, double interval_s, const TimeSource& time)
    : store_(store), interval_s_(interval_s), time_(time), due_(time.deadline_in(interval_s)) {}

Checkpoints::~Checkpoints() {
  stop();
}

double Checkpoints::pause_s(double interval_s, double took_s) {
  constexpr double kShare = 20;
  return std::max(interval_s, (kShare - 1) * took_s);
}

void Checkpoints::update() {
  if (writing()) {
    if (written_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    const Written written = written_.get();
    due_ = time_.deadline_in(pause_s(interval_s_, written.took_s));
    if (!written.status) {
      spdlog::warn(
          "the results file could not be written and stays as it was; the journal holds every "
          "turn: {}",
          describe(written.status.error()));
    }
    return;
  }
  if (abandon_ || time_.now() < due_) return;
  written_ = std::async(std::launch::async, [this]() -> Written {
    const auto start = SteadyClock::now();
    Status status = store_.checkpoint(abandon_);
    return {std::move(status), seconds_since(start)};
  });
}

void Checkpoints::stop() {
  abandon_ = true;
  if (writing()) written_.get();
}

}  // namespace ptxbatch
