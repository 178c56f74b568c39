#include "ranks/device_worker.h"

#include <filesystem>
#include <future>

#include "common/process.h"
#include "common/version.h"
#include "ranks/compile/tools.h"
#include "ranks/profile/device_process.h"

namespace ptxbatch {

DeviceWorker::DeviceWorker(const PipelineConfig& config, Judged judged)
    : config_(config), judged_(std::move(judged)) {}

DeviceWorker::~DeviceWorker() {
  close();
}

Result<std::vector<EnvironmentRecord>> DeviceWorker::start() {
  std::promise<Result<std::vector<EnvironmentRecord>>> started;
  auto result = started.get_future();
  thread_ = std::thread([this, started = std::move(started)]() mutable {
    started.set_value(make_judges());
    serve();
    judges_.clear();  // here, since their children belong to this thread
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
    std::error_code ignored;
    std::filesystem::create_directories(judge_config.scratch_folder, ignored);
    auto judge = make_judge(std::move(judge_config));
    if (!judge) return fail(judge.error());
    auto device = (*judge)->device_info();
    if (!device) return fail(device.error());
    judges_[target.name] = std::move(*judge);

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
    const auto start = SteadyClock::now();
    judge_candidate(**turn, *judges_.at((*turn)->trajectory->plan().target), cache_);
    busy_s_.store(busy_s_.load() + seconds_since(start));
    judged_(std::move(*turn));
  }
}

}  // namespace ptxbatch
