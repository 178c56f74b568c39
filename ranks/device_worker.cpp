#include "ranks/device_worker.h"

#include <filesystem>
#include <future>

#include "common/process.h"
#include "common/version.h"
#include "ranks/compile/tools.h"
#include "ranks/profile/device_process.h"

namespace ptxbatch {

DeviceWorker::DeviceWorker(const PipelineConfig& config, Links links)
    : config_(config), links_(std::move(links)) {}

DeviceWorker::~DeviceWorker() {
  close();
}

Result<std::vector<EnvironmentRecord>> DeviceWorker::start() {
  std::promise<Result<std::vector<EnvironmentRecord>>> started;
  auto result = started.get_future();
  thread_ = std::thread([this, started = std::move(started)]() mutable {
    started.set_value(make_judges());
    serve();
    devices_.clear();  // here, since their children belong to this thread
  });
  return result.get();
}

void DeviceWorker::close() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

Result<std::vector<EnvironmentRecord>> DeviceWorker::make_judges() {
  std::vector<EnvironmentRecord> environments;
  for (const TargetSpec& target : config_.experiment.targets) {
    const TargetPrograms programs = config_.programs(target.name);
    JudgeConfig judge_config;
    judge_config.target = target.name;
    judge_config.device = config_.device;
    judge_config.keeper_program = programs.keeper;
    judge_config.runner_program = programs.runner;
    judge_config.tracer_program = programs.tracer;
    judge_config.calibration_candidate = programs.calibration;
    judge_config.instrumented_program = programs.instrumented;
    if (DevicePlace{target.name}.is_gpu() && !config_.experiment.protocol.sanitizers.empty()) {
      auto sanitizer = find_compute_sanitizer();
      if (!sanitizer) return fail(sanitizer.error());
      judge_config.sanitizer_program = std::move(*sanitizer);
    }
    if (auto ncu = find_ncu(); ncu) judge_config.ncu_program = std::move(*ncu);
    judge_config.scratch_folder = config_.scratch_folder + "/judge-" + target.name;
    judge_config.protocol = config_.experiment.protocol;
    judge_config.budgets = config_.experiment.budgets;
    judge_config.drift = config_.experiment.reliability.drift;
    std::error_code ignored;
    std::filesystem::create_directories(judge_config.scratch_folder, ignored);
    auto judge = make_judge(std::move(judge_config));
    if (!judge) return fail(judge.error());
    auto device = (*judge)->device_info();
    if (!device) return fail(device.error());
    auto nurse =
        std::make_unique<DeviceNurse>(config_.experiment.reliability, **judge,
                                      DeviceNurse::Links{links_.noted, [this](double seconds) {
                                                           alarm_.pop_until(deadline_in(seconds));
                                                           return !hurried_;
                                                         }});
    devices_[target.name] = {std::move(*judge), std::move(nurse)};

    EnvironmentRecord environment;
    environment.session = config_.session;
    environment.rank = config_.rank;
    environment.host = host_name();
    environment.target = target.name;
    environment.device_name = device->name;
    environment.device_id = device->id;
    environment.driver = device->driver;
    environment.libraries = device->libraries;
    environment.program_version = kVersion;
    environment.git_commit = kGitCommit;
    environment.started_at_s = unix_time_s();
    environments.push_back(std::move(environment));
  }
  return environments;
}

void DeviceWorker::serve() {
  while (auto turn = queue_.pop()) {
    if (loss_ == TurnInHand::DeviceLoss::kNone) {
      judge_one(**turn);
    } else {
      (*turn)->device_loss = loss_;
    }
    links_.judged(std::move(*turn));
  }
}

void DeviceWorker::judge_one(TurnInHand& turn) {
  turn.stages.queue += seconds_since(turn.queued_at);
  if (reuse_measurement(turn, cache_)) return;
  const auto start = SteadyClock::now();
  const Device& device = devices_.at(turn.trajectory->plan().target);
  const DeviceNurse::End end =
      device.nurse->judge(turn.trajectory->specs().problem->problem,
                          "turn " + std::to_string(turn.reply.turn) + " of trajectory " +
                              std::to_string(turn.reply.trajectory),
                          [&] { judge_candidate(turn, *device.judge); });
  busy_s_.store(busy_s_.load() + seconds_since(start));
  using Loss = TurnInHand::DeviceLoss;
  switch (end) {
    case DeviceNurse::End::kCounts:
      cache_.store(turn);
      break;
    case DeviceNurse::End::kOutOfService:
      turn.device_loss = Loss::kMeanwhile;
      loss_ = Loss::kBefore;
      break;
    case DeviceNurse::End::kNotWaitedFor:
      turn.device_loss = loss_ = Loss::kStopped;
      break;
  }
}

void DeviceWorker::abandon() {
  queue_.abandon();
  hurry();
}

void DeviceWorker::hurry() {
  hurried_ = true;
  alarm_.close();
}

}  // namespace ptxbatch
