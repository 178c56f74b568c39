// NAME.h5 while a run is active: rewritten from the journal now and then, on a thread of its own,
// so that ranks never wait for it. The larger the run, the longer that takes, and the rarer it
// becomes.
#pragma once

#include <atomic>
#include <future>

#include "common/time_source.h"
#include "orchestrator/run_store.h"

namespace ptxbatch {

class Checkpoints {
 public:
  /// One every `interval_s` at most. The references must outlive it.
  Checkpoints(RunStore& store, double interval_s, const TimeSource& time);
  /// Abandons what is being written.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Begins one when it is due, and says in the log when one has failed. Does not wait.
  void update();
  /// Abandons what is being written, and begins none any more.
  void stop();

  [[nodiscard]] bool writing() const { return written_.valid(); }

  /// From the end of one to the begin of the next, after one that took so long: at most a
  /// twentieth of the time is spent on them.
  static double pause_s(double interval_s, double took_s);

 private:
  struct Written {
    Status status;
    double took_s = 0;
  };

  RunStore& store_;
  double interval_s_;
  const TimeSource& time_;
  Deadline due_;
  std::atomic<bool> abandon_ = false;
  std::future<Written> written_;
};

}  // namespace ptxbatch
