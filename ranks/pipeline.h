// A rank at work: trajectories move from queue to queue, each stage with threads of its own.
//
//   coordinator -> generate (model clients) -> [journalled?] -> prepare (compile pool)
//        ^              ^                                            |
//        |              '---- next turn ----.                        |
//        '---- records ---- finish ---------' <--- judge (device) <--'
//
// While at most rank.generating model calls are out, rank.profiling further trajectories may be
// anywhere behind them, so that neither the models nor the device wait for the other. A gateway has
// the generate stage alone and works for other ranks.
//
// One dispatcher, the thread in run(), owns every trajectory and takes all decisions; the other
// threads only work on what they are handed and post the result back to it. So nothing here but the
// queues is shared, and nothing waits by sleeping.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ranks/coordination.h"
#include "ranks/experiment.h"
#include "ranks/generate/api_keys.h"

namespace ptxbatch {

/// Programs that a rank starts, by target: built beside ptxbatch.
struct TargetPrograms {
  std::string keeper;
  std::string runner;
  std::string tracer;
  // GPU targets, see JudgeConfig:
  std::string calibration;
  std::string instrumented;
};

struct PipelineConfig {
  Experiment experiment;
  int rank = 0;
  int session = 0;
  int life = 0;    // counts the rank's hellos: it is more than 0 after a dismissal
  int device = 0;  // as DevicePlace::device
  int ranks_on_this_host = 1;
  std::string scratch_folder;  // exists; private to this rank
  std::function<TargetPrograms(const std::string& target)> programs;
  std::shared_ptr<const ApiKeys> keys;
};

class Pipeline {
 public:
  /// `send` takes an encoded RankMessage for the coordinator; called from the dispatcher alone.
  Pipeline(PipelineConfig config, std::function<void(std::string)> send);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Hands over a message from the coordinator. Thread-safe.
  void deliver(CoordinatorMessage message);

  enum class End {
    kDrained,
    // Turns were abandoned at the end of a stop's grace: their threads may still be busy, and the
    // caller must leave the process without destroying this object.
    kAbandoned,
    kDismissed,  // the coordinator has given this rank up; no goodbye was said
  };
  /// Works until there is no more work, or the coordinator says stop; the last message sent is
  /// Goodbye. When dismissed it drops its work, and waits only for what cannot be interrupted.
  [[nodiscard]] End run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptxbatch
