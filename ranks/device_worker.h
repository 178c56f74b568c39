// The device's thread: owns the judges of a rank and judges one candidate at a time. Keepers and
// runners are children of this thread and die with it.
//
// A device that is out of service, or whose pause nobody waits for, judges nothing more: turns come
// back as they went, marked so.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/message_queue.h"
#include "ranks/device_nurse.h"
#include "ranks/pipeline.h"
#include "ranks/turn.h"

namespace ptxbatch {

class DeviceWorker {
 public:
  /// Called from the device's thread.
  struct Links {
    std::function<void(std::shared_ptr<TurnInHand>)> judged;  // once a turn
    /// Something that readers of the results should know of, and what the device does now.
    std::function<void(DeviceService, std::string kind, std::string message)> noted;
  };

  DeviceWorker(const PipelineConfig& config, Links links);
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  /// Starts the thread and a keeper for each target, and says what the devices are.
  Result<std::vector<EnvironmentRecord>> start();

  void judge(std::shared_ptr<TurnInHand> turn) { queue_.push(std::move(turn)); }

  /// Judges what is queued, then ends the thread and its children.
  void close();
  /// Drops what is queued. close() then waits for the turn that is being judged alone.
  void abandon();
  /// A device that is paused is not waited for any more.
  void hurry();

  /// Seconds spent judging since the start. Thread-safe.
  [[nodiscard]] double busy_s() const { return busy_s_.load(); }

 private:
  Result<std::vector<EnvironmentRecord>> make_judges();
  void serve();
  void judge_one(TurnInHand& turn);

  const PipelineConfig& config_;
  Links links_;
  std::atomic<bool> hurried_ = false;
  MessageQueue<bool> alarm_;  // closed to end a pause
  MessageQueue<std::shared_ptr<TurnInHand>> queue_;
  struct Device {
    std::unique_ptr<Judge> judge;
    std::unique_ptr<DeviceNurse> nurse;
  };
  std::map<std::string, Device> devices_;  // by target; these are the thread's own
  TurnInHand::DeviceLoss loss_ = TurnInHand::DeviceLoss::kNone;  // of turns that come from now on
  MeasurementCache cache_;
  std::atomic<double> busy_s_ = 0;
  std::thread thread_;
};

}  // namespace ptxbatch
