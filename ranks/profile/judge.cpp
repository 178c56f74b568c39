// Puts the pieces together: keeper, a runner standing by, and what is measured once a workload.
#include "ranks/profile/judge.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/log.h"
#include "ranks/profile/counted_evidence.h"
#include "ranks/profile/evaluation.h"
#include "ranks/profile/evidence.h"
#include "ranks/profile/sanitizer.h"

namespace ptxbatch {
namespace {

constexpr std::uint64_t kHostStateBudgetBytes = 4ULL << 30U;
constexpr std::uint64_t kDevicesChoice = 0;
constexpr std::uint64_t kReferenceBudgetBytes = 8ULL << 30U;

// On a GPU, beyond the way of an empty kernel: what a candidate's own host code may take in a call,
// such as encoding tensor maps or an allocation. On top of it the claims themselves are bounded
// from below (least_latency_ms).
constexpr double kGpuWayFactor = 1.15;
constexpr double kGpuShareOfClaim = 0.25;
constexpr double kGpuLeastDriftMs = 0.05;
constexpr int kProbes = 3;

// The processes that a path is given to have working directories of their own.
std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

class ProcessJudge final : public Judge {
 public:
  explicit ProcessJudge(JudgeConfig config)
      : config_(std::move(config)),
        keeper_(keeper_spec(on_gpu() ? kDevicesChoice : kHostStateBudgetBytes), signs_),
        reference_keeper_(keeper_spec(kReferenceBudgetBytes), signs_) {}
  ProcessJudge(const ProcessJudge&) = delete;
  ProcessJudge& operator=(const ProcessJudge&) = delete;

  Result<DeviceInfo> device_info() override {
    auto info = keeper_.ensure_running();
    if (!info) return info;
    if (auto fits = check_architecture(*info); !fits) return fail(fits.error());
    return info;
  }

  Evaluation evaluate(const Problem& problem, const std::string& binary) override {
    const auto attempt = [&] { return try_evaluate(problem, absolute_path(binary)); };
    auto evaluation = twice(attempt);
    if (evaluation && was_killed(*evaluation)) evaluation = attempt();
    // What the driver holds against the device by now; a keeper that is gone is noted already.
    static_cast<void>(keeper_.read_device());
    // Started now, while nothing is timed, to be ready when the next candidate comes.
    if (config_.runner_stands_by) stand_by();
    if (!config_.keeps_state) forget_state();
    if (evaluation) {
      note(*evaluation);
      return std::move(*evaluation);
    }
    // What an input is to blame for would be the same on every device.
    signs_.service_failed |= evaluation.error().kind != ErrorKind::kInput;
    Evaluation failure;
    failure.outcome = Evaluation::Outcome::kServiceFailure;
    failure.detail = evaluation.error().what;
    return failure;
  }

  Sanitization sanitize(const Problem& problem, const std::string& binary) override {
    Sanitization all;
    if (!on_gpu()) return all;
    for (const std::string& tool : config_.protocol.sanitizers) {
      const auto attempt = [&] { return try_sanitize(problem, absolute_path(binary), tool); };
      auto one = twice(attempt);
      if (one && one->outcome == Sanitization::Outcome::kToolFailed) one = attempt();
      if (!one) one = Sanitization{Sanitization::Outcome::kToolFailed, one.error().what, 0};
      one->seconds += all.seconds;
      all = std::move(*one);
      if (all.outcome != Sanitization::Outcome::kClean) break;
    }
    return all;
  }

  Evidence collect_evidence(const Problem& problem, const std::string& binary,
                            const StaticScan& scan) override {
    const auto start = SteadyClock::now();
    Evidence evidence;
    if (!scan.succeeded) {
      evidence.state = TargetInstruction::kUnknown;
      evidence.failure = "the binary could not be scanned: " + scan.failure;
    } else if (scan.instructions.empty()) {
      evidence.state = TargetInstruction::kAbsent;
    } else if (auto run =
                   twice([&] { return try_evidence(problem, absolute_path(binary), scan); })) {
      evidence = std::move(*run);
    } else {
      evidence.state = TargetInstruction::kUnknown;
      evidence.failure = run.error().what;
      evidence.instructions = scan.instructions;
    }
    evidence.seconds = seconds_since(start);
    return evidence;
  }

  DeviceSigns take_signs() override { return std::exchange(signs_, {}); }

  void restart() override {
    standby_.reset();
    forget_state();
  }

  void probe(const Problem& problem) override {
    if (auto probed = try_probe(problem); !probed) {
      spdlog::warn("the device's probe failed: {}", probed.error().what);
      signs_.service_failed = true;
    }
  }

 private:
  // SIGKILL may come from outside (a person, a machine out of memory), which says nothing about the
  // candidate: only a second one counts against it.
  static bool was_killed(const Evaluation& evaluation) {
    return evaluation.outcome == Evaluation::Outcome::kCrashed && evaluation.signal == SIGKILL;
  }

  // A keeper that died is started again and the work done once more; an input at fault would fail
  // again just the same.
  template <class Attempt>
  static auto twice(const Attempt& attempt) -> decltype(attempt()) {
    auto result = attempt();
    if (result || result.error().kind == ErrorKind::kInput) return result;
    spdlog::warn("judging again after: {}", result.error().what);
    return attempt();
  }

  void note(const Evaluation& evaluation) {
    signs_.drift = std::max(signs_.drift, evaluation.reference_drift);
    signs_.shift = std::max(signs_.shift, evaluation.reference_shift);
  }

  // A sound device repeats itself.
  Status try_probe(const Problem& problem) {
    const int trials = trials_of(problem, config_.protocol);
    if (auto opened = open(problem, trials); !opened) return fail(opened.error());
    if (auto opened = open_reference(problem); !opened) return fail(opened.error());
    std::vector<double> latencies_ms;
    for (int i = 0; i < kProbes; ++i) {
      auto measured = measure_reference(keepers(), 1, config_.protocol, rules(problem));
      if (!measured) return fail(measured.error());
      latencies_ms.push_back(measured->latency_ms);
    }
    if (on_gpu()) {
      signs_.drift = std::max(signs_.drift, drift_of(latencies_ms, rules(problem)));
    }
    if (auto read = keeper_.read_device(); !read) return fail(read.error());
    return {};
  }

  Result<Evaluation> try_evaluate(const Problem& problem, const std::string& binary) {
    const int trials = trials_of(problem, config_.protocol);
    auto workload = open(problem, trials);
    if (!workload) return fail(workload.error());
    auto runner = ready_runner();  // before anything is timed
    if (!runner) return fail(runner.error());
    if (auto opened = open_reference(problem); !opened) return fail(opened.error());
    const auto reference = reference_latency(problem, trials);
    if (!reference) return fail(reference.error());
    EvaluationTask task{
        problem,        binary, config_.protocol, trials, config_.budgets.evaluate_s,
        rules(problem), nullptr};
    if (on_gpu()) {
      task.measure_honest_calls = [&] { return honest_calls(problem); };
    }
    auto evaluation = evaluate_candidate(keepers(), *runner, *workload, **reference, task);
    log_once(runner->sandbox_notice());
    if (evaluation && evaluation->outcome == Evaluation::Outcome::kServiceFailure) {
      return fail(ErrorKind::kSystem, evaluation->detail);
    }
    return evaluation;
  }

  Result<Sanitization> try_sanitize(const Problem& problem, const std::string& binary,
                                    const std::string& tool) {
    auto workload = open(problem, trials_of(problem, config_.protocol));
    if (!workload) return fail(workload.error());
    return sanitize_candidate(keeper_, *workload,
                              {problem, binary, config_.sanitizer_program, tool,
                               instrumented_runner_spec(), config_.budgets.sanitize_s});
  }

  Result<Evidence> try_evidence(const Problem& problem, const std::string& binary,
                                const StaticScan& scan) {
    auto workload = open(problem, trials_of(problem, config_.protocol));
    if (!workload) return fail(workload.error());
    const Tolerance tolerance{config_.protocol.abs_tolerance, config_.protocol.rel_tolerance};
    const EvidenceTask task{
        problem, binary, scan, tolerance, config_.budgets.evidence_s, config_.target == "hopper"};
    if (on_gpu()) {
      RunnerSpec counting = runner_spec();
      counting.program = config_.tracer_program;
      CountingTools tools;
      tools.start_runner = [&] { return start_ready(counting); };
      tools.ncu = {config_.ncu_program, instrumented_runner_spec()};
      tools.only_ncu = config_.evidence_by_ncu_only;
      return count_instructions(keeper_, tools, *workload, task);
    }
    auto runner = RunnerClient::start_traced(runner_spec(), config_.tracer_program);
    if (!runner) return fail(runner.error());
    if (auto ready = runner->wait_ready(); !ready) return fail(ready.error());
    return run_under_breakpoints(keeper_, *runner, *workload, task);
  }

  [[nodiscard]] bool on_gpu() const { return is_gpu_target(config_.target); }
  [[nodiscard]] DevicePlace place() {
    return {config_.target, config_.device, config_.death_within_s,
            [this] { signs_.unkillable = true; }};
  }
  [[nodiscard]] KeeperSpec keeper_spec(std::uint64_t budget_bytes) {
    return {config_.keeper_program, config_.scratch_folder, place(), budget_bytes};
  }

  [[nodiscard]] Status check_architecture(const DeviceInfo& info) const {
    const std::string wanted = config_.target == "hopper"      ? "sm_90"
                               : config_.target == "blackwell" ? "sm_100"
                                                               : "";
    if (info.architecture == wanted) return {};
    return fail(ErrorKind::kInput,
                "the target '" + config_.target + "' needs a GPU of architecture " + wanted +
                    ", and this rank has " + info.name + " (" + info.architecture + ")",
                "Ask for another partition, or take the target out of the experiment.");
  }

  [[nodiscard]] MeasurementRules rules(const Problem& problem) const {
    MeasurementRules rules;
    if (!on_gpu()) return rules;
    rules.slack = {kGpuWayFactor, config_.protocol.unclaimed_ms * 1e-3, kGpuShareOfClaim};
    rules.drift_limit = config_.drift;
    rules.least_drift_ms = kGpuLeastDriftMs;
    rules.span_has_check = true;
    rules.least_latency_ms = least_latency_ms(problem, keeper_.device());
    return rules;
  }

  Result<KeeperClient::OpenedWorkload> open(const Problem& problem, int trials) {
    if (auto running = keeper_.ensure_running(); !running) return fail(running.error());
    return keeper_.open(problem, config_.protocol.input_seed, input_sets_of(trials));
  }

  /// One set of inputs is enough there: nobody sees them but the reference.
  Status open_reference(const Problem& problem) {
    if (!on_gpu()) return {};
    if (auto running = reference_keeper_.ensure_running(); !running) return fail(running.error());
    auto opened = reference_keeper_.open(problem, config_.protocol.input_seed, 1);
    if (!opened) return fail(opened.error());
    return reference_keeper_.prepare(0);
  }

  Keepers keepers() { return {keeper_, on_gpu() ? reference_keeper_ : keeper_}; }

  /// Measured before the first candidate of a workload, then kept.
  Result<const ReferenceLatency*> reference_latency(const Problem& problem, int trials) {
    const std::string key = problem.definition + "\n" + problem.workload;
    const auto known = reference_latencies_.find(key);
    if (known != reference_latencies_.end()) return &known->second;
    auto measured = measure_reference(keepers(), trials, config_.protocol, rules(problem));
    if (!measured) return fail(measured.error());
    if (on_gpu()) {
      auto honest = honest_calls(problem);
      if (!honest) return fail(honest.error());
      measured->honest_calls = std::move(*honest);
    }
    return &reference_latencies_.emplace(key, std::move(*measured)).first->second;
  }

  Result<std::vector<CallTime>> honest_calls(const Problem& problem) {
    auto workload = open(problem, trials_of(problem, config_.protocol));
    if (!workload) return fail(workload.error());
    auto runner = start_ready(runner_spec());
    if (!runner) return fail(runner.error());
    return time_honest_calls(keeper_, *runner, *workload,
                             {problem, config_.calibration_candidate, config_.protocol, 1,
                              config_.budgets.evaluate_s, rules(problem), nullptr});
  }

  [[nodiscard]] RunnerSpec runner_spec() {
    return {config_.runner_program, config_.scratch_folder, place(), config_.readable};
  }

  [[nodiscard]] RunnerSpec instrumented_runner_spec() {
    RunnerSpec spec = runner_spec();
    spec.program = config_.instrumented_program;
    return spec;
  }

  void stand_by() {
    if (standby_) return;
    auto started = RunnerClient::start(runner_spec());
    if (started) standby_.emplace(std::move(*started));  // else the next evaluation says why
  }

  /// The one standing by, unless it died meanwhile; then a new one.
  Result<RunnerClient> ready_runner() {
    if (standby_) {
      RunnerClient runner = std::move(*standby_);
      standby_.reset();
      if (runner.wait_ready()) return runner;
    }
    return start_ready(runner_spec());
  }

  static Result<RunnerClient> start_ready(const RunnerSpec& spec) {
    auto started = RunnerClient::start(spec);
    if (!started) return started;
    if (auto ready = started->wait_ready(); !ready) return fail(ready.error());
    return started;
  }

  void forget_state() {
    reference_latencies_.clear();
    keeper_.stop();
    reference_keeper_.stop();
  }

  void log_once(const std::string& notice) {
    if (notice.empty() || notice == logged_notice_) return;
    spdlog::warn("the sandbox is weaker than it should be: {}", notice);
    logged_notice_ = notice;
  }

  JudgeConfig config_;
  DeviceSigns signs_;  // before the processes, which note down what becomes of them
  KeeperClient keeper_;
  KeeperClient reference_keeper_;  // GPU: see Keepers
  std::optional<RunnerClient> standby_;
  std::map<std::string, ReferenceLatency> reference_latencies_;
  std::string logged_notice_;
};

Status check_program(const std::string& program) {
  if (::access(program.c_str(), X_OK) == 0) return {};
  return fail(system_error("cannot run " + program, errno,
                           "It is built and installed beside ptxbatch; build all targets."));
}

}  // namespace

Result<std::unique_ptr<Judge>> make_judge(JudgeConfig config) {
  for (const auto& program :
       {config.keeper_program, config.runner_program, config.tracer_program}) {
    if (auto runnable = check_program(program); !runnable) return fail(runnable.error());
  }
  if (::access(config.scratch_folder.c_str(), W_OK) != 0) {
    return fail(
        system_error("cannot write into the scratch folder " + config.scratch_folder, errno));
  }
  if (is_gpu_target(config.target) && ::access(config.calibration_candidate.c_str(), R_OK) != 0) {
    return fail(system_error("cannot read " + config.calibration_candidate, errno,
                             "It is built and installed beside ptxbatch; build all targets."));
  }
  config.scratch_folder = absolute_path(config.scratch_folder);
  return std::make_unique<ProcessJudge>(std::move(config));
}

}  // namespace ptxbatch
