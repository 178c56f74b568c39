// The device's thread: owns the judges of a rank and judges one candidate at a time. Keepers and
// runners are children of this thread and die with it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/message_queue.h"
#include "ranks/pipeline.h"
#include "ranks/turn.h"

namespace ptxbatch {

class DeviceWorker {
 public:
  using Judged = std::function<void(std::shared_ptr<TurnInHand>)>;

  /// `judged` is called from the device's thread, once a turn.
  DeviceWorker(const PipelineConfig& config, Judged judged);
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  /// Starts the thread and a keeper for each target, and says what the devices are.
  Result<std::vector<EnvironmentRecord>> start();

  void judge(std::shared_ptr<TurnInHand> turn) { queue_.push(std::move(turn)); }

  /// Judges what is queued, then ends the thread and its children.
  void close();

  /// Seconds spent judging since the start. Thread-safe.
  [[nodiscard]] double busy_s() const { return busy_s_.load(); }

 private:
  Result<std::vector<EnvironmentRecord>> make_judges();
  void serve();

  const PipelineConfig& config_;
  Judged judged_;
  MessageQueue<std::shared_ptr<TurnInHand>> queue_;
  std::map<std::string, std::unique_ptr<Judge>> judges_;  // by target; the thread's own
  MeasurementCache cache_;
  std::atomic<double> busy_s_ = 0;
  std::thread thread_;
};

}  // namespace ptxbatch
