#include "ranks/profile/evaluation.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "common/log.h"
#include "common/median.h"
#include "ranks/problems/operators.h"
#include "ranks/profile/measurement_attempts.h"
#include "ranks/profile/timed_trial.h"

namespace ptxbatch {
namespace {

using Outcome = Evaluation::Outcome;

constexpr int kTriesForATime = 3;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Tolerance tolerance_of(const ProtocolSettings& protocol) {
  return {protocol.abs_tolerance, protocol.rel_tolerance};
}

/// The reference, in the same steps as a candidate's call.
Result<CallTime> reference_call(const Keepers& keepers, int set, const ProtocolSettings& protocol,
                                const MeasurementRules& rules) {
  const auto ready = keepers.state.prepare(set, PartOrder::kKept);
  if (!ready) return fail(ready.error());
  const bool apart = &keepers.reference != &keepers.state;
  const auto call = keepers.reference.time_reference(apart ? 0 : set);
  if (!call) return fail(call.error());
  CallTime time{call->claimed_s, call->span_s};
  if (!rules.span_has_check) return time;
  const auto checked = keepers.state.check(set, tolerance_of(protocol));
  if (!checked) return fail(checked.error());
  time.span_s += checked->span_s;
  return time;
}

/// Where the time of a candidate's calls went, for the log.
struct CallSteps {
  int calls = 0;
  double prepare_s = 0;
  double call_s = 0;  // from the request until the runner is stopped again
  double claimed_s = 0;
  double check_s = 0;

  void log() const {
    if (calls == 0) return;
    spdlog::debug("{} calls, each: prepare {}, call {} of which claimed {}, check {}", calls,
                  milliseconds(prepare_s / calls), milliseconds(call_s / calls),
                  milliseconds(claimed_s / calls), milliseconds(check_s / calls));
  }
};

/// Carries an evaluation through. Steps return false when the candidate has met its end, which then
/// stands in evaluation_, and an error when it is the keeper that failed.
class EvaluationRun {
 public:
  EvaluationRun(const Keepers& keepers, RunnerClient& runner, const EvaluationTask& task)
      : keepers_(keepers),
        keeper_(keepers.state),
        runner_(runner),
        task_(task),
        tolerance_(tolerance_of(task.protocol)),
        left_s_(task.budget_s),
        random_(static_cast<std::uint32_t>(fresh_nonce())) {}

  Result<Evaluation> run(const KeeperClient::OpenedWorkload& workload,
                         const ReferenceLatency& reference) {
    const auto start = SteadyClock::now();
    auto passed = load(workload);
    evaluation_.reference = workload.reference;
    if (passed && *passed) passed = correctness();
    if (passed && *passed) passed = read_device(DeviceReading::Moment::kBeforeTiming);
    for (int trial = 0; passed && *passed && trial < task_.trials; ++trial) {
      passed = time_trial(trial, reference);
    }
    if (passed && *passed) passed = read_device(DeviceReading::Moment::kAfterTiming);
    if (!passed) return fail(passed.error());
    if (*passed) conclude(reference);
    evaluation_.seconds = seconds_since(start);
    steps_.log();
    return std::move(evaluation_);
  }

 private:
  Result<bool> load(const KeeperClient::OpenedWorkload& workload) {
    at("load", 0);
    const auto step =
        runner_.load({task_.binary, task_.problem, workload.mappings, workload.fds}, left_s_);
    if (!step) return end(step.error());
    left_s_ -= step->span_s;
    return true;
  }

  Result<bool> read_device(DeviceReading::Moment moment) {
    const auto reading = keeper_.read_device();
    if (!reading) return fail(reading.error());
    if (*reading) {
      evaluation_.readings.push_back(**reading);
      evaluation_.readings.back().moment = moment;
    }
    return true;
  }

  // All trials are compared even when the first is wrong: the feedback shows the worst.
  Result<bool> correctness() {
    evaluation_.errors.assign(task_.problem.outputs.size(), {});
    int first_wrong_trial = -1;
    std::string violation;
    for (int trial = 0; trial < task_.trials; ++trial) {
      at("correctness", trial);
      CallChecked checked;
      const auto called = call(trial, checked);
      if (!called || !*called) return propagate(called);
      for (std::size_t i = 0; i < checked.errors.size(); ++i) {
        accumulate(evaluation_.errors[i], checked.errors[i]);
      }
      if (first_wrong_trial < 0 && !all_right(checked.errors)) first_wrong_trial = trial;
      if (violation.empty()) violation = (*called)->violation;
    }
    if (first_wrong_trial < 0 && !violation.empty()) return end_by_violation(violation);
    if (first_wrong_trial < 0) return true;
    evaluation_.trial = first_wrong_trial;
    return end({Outcome::kWrong, "the outputs differ from the reference", 0, 0, ""});
  }

  Result<bool> time_trial(int trial, const ReferenceLatency& alone) {
    at("warm-up", trial);
    for (int i = 0; i < task_.protocol.warmups; ++i) {
      const auto called = right_call(trial);
      if (!called || !*called) return propagate(called);
    }
    evaluation_.phase = "timing";
    return time_until_believed(trial, alone);
  }

  Result<bool> time_until_believed(int trial, const ReferenceLatency& alone) {
    using Finding = MeasurementAttempts::Finding;
    MeasurementAttempts attempts;
    std::vector<CallTime> known_honest = alone.honest_calls;
    std::optional<TimedTrial> steadiest;
    while (true) {
      const double left_s = left_s_;
      TimedTrial timed;
      auto measured = measure(trial, timed);
      if (!measured || !*measured) return measured;
      const std::vector<CallTime>& honest = honest_calls(timed, known_honest);
      const Finding finding = look_at(timed, honest, task_.rules);
      if (finding == Finding::kDrifted && (!steadiest || timed.spread() < steadiest->spread())) {
        steadiest = timed;
      }
      switch (attempts.after(finding)) {
        case MeasurementAttempts::Next::kKeepThis:
          keep(timed, trial, alone);
          return true;
        case MeasurementAttempts::Next::kKeepSteadiest:
          keep(*steadiest, trial, alone);
          return true;
        case MeasurementAttempts::Next::kConvict:
          return end_by_violation(unclaimed_text(timed, honest));
        case MeasurementAttempts::Next::kMeasureAgain:
          break;
      }
      if (finding == Finding::kMisfit) {
        if (auto fresh = measure_honest_again(known_honest); !fresh) return fail(fresh.error());
      }
      left_s_ = left_s;  // a measurement that does not count takes nothing from the candidate
    }
  }

  // On a shared core the load of the moment counts, so the host's are those made in turn.
  [[nodiscard]] const std::vector<CallTime>& honest_calls(
      const TimedTrial& timed, const std::vector<CallTime>& known) const {
    return task_.rules.span_has_check || timed.keeper.empty() ? known : timed.keeper;
  }

  // What disturbed the candidate's calls may disturb an honest one's just as much.
  Status measure_honest_again(std::vector<CallTime>& known) const {
    if (!task_.measure_honest_calls) return {};
    auto fresh = task_.measure_honest_calls();
    if (!fresh) return fail(fresh.error());
    if (median_way_s(*fresh) > median_way_s(known)) known = std::move(*fresh);
    return {};
  }

  // Without blocks the reference is not timed again.
  Result<bool> measure(int trial, TimedTrial& timed) {
    if (task_.protocol.pair_blocks == 0) {
      std::vector<CallTime> candidate;
      auto measured = candidate_block(trial, task_.protocol.iterations, candidate);
      if (!measured || !*measured) return measured;
      timed.add_block(trial, TimingRecord::Side::kCandidate, candidate);
      return true;
    }
    const auto blocks = block_sizes(task_.protocol.iterations, task_.protocol.pair_blocks);
    const auto reference_blocks =
        block_sizes(task_.protocol.iterations, static_cast<int>(blocks.size()) + 1);
    std::vector<std::vector<double>> candidate_ms;
    for (std::size_t i = 0; i < reference_blocks.size(); ++i) {
      auto referred = reference_block(trial, reference_blocks[i], timed);
      if (!referred) return fail(referred.error());
      if (i >= blocks.size()) break;
      std::vector<CallTime> candidate;
      auto measured = candidate_block(trial, blocks[i], candidate);
      if (!measured || !*measured) return measured;
      timed.add_block(trial, TimingRecord::Side::kCandidate, candidate);
      candidate_ms.push_back(claimed_ms(candidate));
    }
    timed.speedups = paired_speedups(timed.reference_medians_ms, candidate_ms);
    return true;
  }

  Status reference_block(int trial, int calls, TimedTrial& timed) const {
    std::vector<CallTime> reference;
    for (int i = 0; i < calls; ++i) {
      const auto call = reference_call(keepers_, trial, task_.protocol, task_.rules);
      if (!call) return fail(call.error());
      reference.push_back(*call);
    }
    timed.add_block(trial, TimingRecord::Side::kReference, reference);
    timed.reference_medians_ms.push_back(median(claimed_ms(reference)));
    return {};
  }

  // Somewhere in each block one call more is made, not timed, on the inputs of another trial at the
  // same addresses: a result kept from earlier calls is wrong there.
  Result<bool> candidate_block(int trial, int calls, std::vector<CallTime>& times) {
    const int surprise = std::uniform_int_distribution<int>(0, calls - 1)(random_);
    const int other = (trial + 1) % input_sets_of(task_.trials);
    for (int i = 0; i < calls; ++i) {
      if (i == surprise) {
        const auto called = right_call(other);
        if (!called || !*called) return propagate(called);
      }
      const auto called = complete_call(trial);
      if (!called || !*called) return propagate(called);
      times.push_back({(*called)->claimed_s, (*called)->span_s});
    }
    return true;
  }

  using Called = Result<std::optional<RunnerClient::Step>>;

  /// Poison, call, compare. No value: the candidate has met its end.
  Called call(int set, CallChecked& checked) {
    const auto start = SteadyClock::now();
    if (auto prepared = keeper_.prepare(set); !prepared) return fail(prepared.error());
    steps_.prepare_s += seconds_since(start);
    const auto begin = SteadyClock::now();
    const auto step = runner_.call(left_s_);
    steps_.call_s += seconds_since(begin);
    if (!step) {
      end(step.error());
      return std::nullopt;
    }
    left_s_ -= step->span_s;
    ++evaluation_.call;
    ++steps_.calls;
    steps_.claimed_s += step->claimed_s;
    auto answer = keeper_.check(set, tolerance_);
    if (!answer) return fail(answer.error());
    steps_.check_s += answer->span_s;
    checked = std::move(answer->result);
    if (!checked.overrun.empty()) {
      evaluation_.errors = checked.errors;
      end({Outcome::kOverrun, "memory in front of output " + checked.overrun + " was overwritten",
           0, 0, "just before output " + checked.overrun});
      return std::nullopt;
    }
    RunnerClient::Step result = *step;
    if (task_.rules.span_has_check) result.span_s += answer->span_s;
    return result;
  }

  /// A call whose outputs must be right, as they were in the correctness phase.
  Called right_call(int set) {
    CallChecked checked;
    auto called = call(set, checked);
    if (!called || !*called) return called;
    if (!all_right(checked.errors)) {
      evaluation_.errors = checked.errors;
      end({Outcome::kWrong, "the first calls were right, and a later one is not", 0, 0, ""});
      return std::nullopt;
    }
    if (!(*called)->violation.empty()) {
      end_by_violation((*called)->violation);
      return std::nullopt;
    }
    return called;
  }

  /// A right call whose time is known: one that the device recorded only in part is made again.
  Called complete_call(int set) {
    for (int attempt = 0; attempt < kTriesForATime; ++attempt) {
      auto called = right_call(set);
      if (!called || !*called || !(*called)->incomplete) return called;
    }
    end({Outcome::kServiceFailure, "the device's records of the calls have gaps", 0, 0, ""});
    return std::nullopt;
  }

  static Result<bool> propagate(const Called& called) {
    if (!called) return fail(called.error());
    return false;
  }

  void at(const char* phase, int trial) {
    evaluation_.phase = phase;
    if (evaluation_.trial != trial) evaluation_.call = 0;
    evaluation_.trial = trial;
  }

  bool end(const CandidateEnd& candidate_end) {
    evaluation_.outcome = candidate_end.outcome;
    evaluation_.detail = candidate_end.detail;
    evaluation_.signal = candidate_end.signal;
    evaluation_.exit_code = candidate_end.exit_code;
    evaluation_.device_error = candidate_end.device_error;
    evaluation_.fault_address_kind = candidate_end.fault_address_kind;
    return false;
  }

  bool end_by_violation(const std::string& what) {
    return end({Outcome::kTimingViolation, what, 0, 0, ""});
  }

  void keep(const TimedTrial& timed, int trial, const ReferenceLatency& alone) {
    note_reference(timed.reference_medians_ms, alone.timings.at(static_cast<std::size_t>(trial)));
    medians_ms_.push_back(median(claimed_ms(timed.candidate)));
    evaluation_.timings.insert(evaluation_.timings.end(), timed.records.begin(),
                               timed.records.end());
    paired_speedups_.insert(paired_speedups_.end(), timed.speedups.begin(), timed.speedups.end());
  }

  // On the host other programs share the core, and nothing follows from it.
  void note_reference(const std::vector<double>& medians_ms, const TimingRecord& alone) {
    if (task_.rules.drift_limit <= 0 || medians_ms.empty()) return;
    const double drift = drift_of(medians_ms, task_.rules);
    const double shift = drift_of({median(medians_ms), median(alone.samples_ms)}, task_.rules);
    evaluation_.reference_drift = std::max(evaluation_.reference_drift, drift);
    evaluation_.reference_shift = std::max(evaluation_.reference_shift, shift);
  }

  void conclude(const ReferenceLatency& reference) {
    evaluation_.outcome = Outcome::kCorrect;
    evaluation_.candidate_latency_ms = mean(medians_ms_);
    evaluation_.reference_latency_ms = reference.latency_ms;
    if (evaluation_.candidate_latency_ms > 0) {
      evaluation_.speedup = reference.latency_ms / evaluation_.candidate_latency_ms;
    }
    evaluation_.paired_speedup = median(paired_speedups_);
    if (evaluation_.candidate_latency_ms < task_.rules.least_latency_ms) {
      end_by_violation(std::to_string(evaluation_.candidate_latency_ms) + " ms is less than the " +
                       std::to_string(task_.rules.least_latency_ms) +
                       " ms that this device needs for the problem's operations and bytes");
    }
    evaluation_.timings.insert(evaluation_.timings.begin(), reference.timings.begin(),
                               reference.timings.end());
  }

  Keepers keepers_;
  KeeperClient& keeper_;
  RunnerClient& runner_;
  const EvaluationTask& task_;
  Tolerance tolerance_;
  CallSteps steps_;
  double left_s_;
  std::mt19937 random_;
  Evaluation evaluation_;
  std::vector<double> medians_ms_;
  std::vector<double> paired_speedups_;
};

}  // namespace

int trials_of(const Problem& problem, const ProtocolSettings& protocol) {
  if (protocol.trials > 0) return protocol.trials;
  const Operator* found = find_operator(problem.op_type);
  return found != nullptr ? found->default_trials() : 3;
}

double drift_of(const std::vector<double>& medians_ms, const MeasurementRules& rules) {
  if (medians_ms.empty()) return 0;
  const double spread = relative_spread(medians_ms);
  const double least_ms = *std::min_element(medians_ms.begin(), medians_ms.end());
  return spread * least_ms > rules.least_drift_ms ? spread : 0;
}

int input_sets_of(int trials) {
  return std::max(trials, 2);
}

double least_latency_ms(const Problem& problem, const DeviceInfo& device) {
  const Operator* found = find_operator(problem.op_type);
  if (found == nullptr || device.peak_flops_per_s <= 0 || device.peak_bytes_per_s <= 0) return 0;
  const auto bytes = static_cast<double>(tensor_bytes(problem));
  return 1e3 *
         std::max(found->flops(problem) / device.peak_flops_per_s, bytes / device.peak_bytes_per_s);
}

Result<ReferenceLatency> measure_reference(const Keepers& keepers, int trials,
                                           const ProtocolSettings& protocol,
                                           const MeasurementRules& rules) {
  ReferenceLatency result;
  std::vector<double> medians_ms;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<CallTime> calls;
    for (int i = 0; i < protocol.warmups + protocol.iterations; ++i) {
      const auto call = reference_call(keepers, trial, protocol, rules);
      if (!call) return fail(call.error());
      if (i >= protocol.warmups) calls.push_back(*call);
    }
    const auto samples_ms = claimed_ms(calls);
    medians_ms.push_back(median(samples_ms));
    result.timings.push_back({trial, -1, TimingRecord::Side::kReference, samples_ms});
    result.honest_calls.insert(result.honest_calls.end(), calls.begin(), calls.end());
  }
  result.latency_ms = mean(medians_ms);
  return result;
}

Result<std::vector<CallTime>> time_honest_calls(KeeperClient& keeper, RunnerClient& runner,
                                                const KeeperClient::OpenedWorkload& workload,
                                                const EvaluationTask& task) {
  constexpr int kWarmups = 5;
  constexpr int kCalls = 25;
  const auto failure = [](const CandidateEnd& end) {
    return fail(ErrorKind::kSystem, "the calibration of calls failed: " + end.detail);
  };
  const auto loaded =
      runner.load({task.binary, task.problem, workload.mappings, workload.fds}, task.budget_s);
  if (!loaded) return failure(loaded.error());
  std::vector<CallTime> calls;
  for (int i = 0; i < kWarmups + kCalls; ++i) {
    if (auto prepared = keeper.prepare(0); !prepared) return fail(prepared.error());
    const auto step = runner.call(task.budget_s);
    if (!step) return failure(step.error());
    const auto checked = keeper.check(0, tolerance_of(task.protocol));
    if (!checked) return fail(checked.error());
    if (i >= kWarmups) calls.push_back({step->claimed_s, step->span_s + checked->span_s});
  }
  return calls;
}

Result<Evaluation> evaluate_candidate(const Keepers& keepers, RunnerClient& runner,
                                      const KeeperClient::OpenedWorkload& workload,
                                      const ReferenceLatency& reference,
                                      const EvaluationTask& task) {
  return EvaluationRun(keepers, runner, task).run(workload, reference);
}

}  // namespace ptxbatch
