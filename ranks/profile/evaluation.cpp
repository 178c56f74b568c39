#include "ranks/profile/evaluation.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "ranks/problems/operators.h"
#include "ranks/profile/timing.h"

namespace ptxbatch {
namespace {

using Outcome = Evaluation::Outcome;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Result<CallTime> reference_call(KeeperClient& keeper, int set) {
  if (auto prepared = keeper.prepare(set); !prepared) return fail(prepared.error());
  const auto call = keeper.time_reference(set);
  if (!call) return fail(call.error());
  return CallTime{call->claimed_s, call->span_s};
}

/// What one trial's timing gave.
struct TimedTrial {
  std::vector<CallTime> candidate;
  std::vector<CallTime> keeper;
  std::vector<TimingRecord> records;
  std::vector<double> block_speedups;

  void add_block(int trial, TimingRecord::Side side, const std::vector<CallTime>& calls) {
    auto& all = side == TimingRecord::Side::kCandidate ? candidate : keeper;
    all.insert(all.end(), calls.begin(), calls.end());
    records.push_back({trial, static_cast<std::int32_t>(records.size()), side, claimed_ms(calls)});
  }
};

/// Carries an evaluation through. Steps return false when the candidate has met its end, which then
/// stands in evaluation_, and an error when it is the keeper that failed.
class EvaluationRun {
 public:
  EvaluationRun(KeeperClient& keeper, RunnerClient& runner, const EvaluationTask& task)
      : keeper_(keeper),
        runner_(runner),
        task_(task),
        tolerance_{task.protocol.abs_tolerance, task.protocol.rel_tolerance},
        left_s_(task.budget_s),
        random_(static_cast<std::uint32_t>(fresh_nonce())) {}

  Result<Evaluation> run(const KeeperClient::OpenedWorkload& workload,
                         const ReferenceLatency& reference) {
    const auto start = SteadyClock::now();
    auto passed = load(workload);
    if (passed && *passed) passed = correctness();
    for (int trial = 0; passed && *passed && trial < task_.trials; ++trial) {
      passed = time_trial(trial);
    }
    if (!passed) return fail(passed.error());
    if (*passed) conclude(reference);
    evaluation_.seconds = seconds_since(start);
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

  // All trials are compared even when the first is wrong: the feedback shows the worst.
  Result<bool> correctness() {
    evaluation_.errors.assign(task_.problem.outputs.size(), {});
    int first_wrong_trial = -1;
    for (int trial = 0; trial < task_.trials; ++trial) {
      at("correctness", trial);
      CallChecked checked;
      const auto called = call(trial, checked);
      if (!called || !*called) return propagate(called);
      for (std::size_t i = 0; i < checked.errors.size(); ++i) {
        accumulate(evaluation_.errors[i], checked.errors[i]);
      }
      if (first_wrong_trial < 0 && !all_right(checked)) first_wrong_trial = trial;
    }
    if (first_wrong_trial < 0) return true;
    evaluation_.trial = first_wrong_trial;
    return end({Outcome::kWrong, "the outputs differ from the reference", 0, 0, ""});
  }

  // A claim that does not fit is looked at twice: the machine may have been disturbed.
  Result<bool> time_trial(int trial) {
    at("warm-up", trial);
    for (int i = 0; i < task_.protocol.warmups; ++i) {
      const auto called = right_call(trial);
      if (!called || !*called) return propagate(called);
    }
    evaluation_.phase = "timing";
    for (int attempt = 0; attempt < 2; ++attempt) {
      TimedTrial timed;
      auto measured = measure(trial, timed);
      if (!measured || !*measured) return measured;
      if (claims_fit(timed.candidate, timed.keeper)) {
        keep(timed);
        return true;
      }
    }
    return end({Outcome::kTimingViolation,
                "the times claimed inside the process do not fit those seen from outside", 0, 0,
                ""});
  }

  Result<bool> measure(int trial, TimedTrial& timed) {
    for (const int calls : block_sizes(task_.protocol.iterations, task_.protocol.pair_blocks)) {
      std::vector<CallTime> reference;
      for (int i = 0; i < calls; ++i) {
        const auto call = reference_call(keeper_, trial);
        if (!call) return fail(call.error());
        reference.push_back(*call);
      }
      std::vector<CallTime> candidate;
      auto measured = candidate_block(trial, calls, candidate);
      if (!measured || !*measured) return measured;
      timed.add_block(trial, TimingRecord::Side::kReference, reference);
      timed.add_block(trial, TimingRecord::Side::kCandidate, candidate);
      const double candidate_ms = median(claimed_ms(candidate));
      if (candidate_ms > 0) {
        timed.block_speedups.push_back(median(claimed_ms(reference)) / candidate_ms);
      }
    }
    return true;
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
      const auto called = right_call(trial);
      if (!called || !*called) return propagate(called);
      times.push_back({(*called)->claimed_s, (*called)->span_s});
    }
    return true;
  }

  using Called = Result<std::optional<RunnerClient::Step>>;

  /// Poison, call, compare. No value: the candidate has met its end.
  Called call(int set, CallChecked& checked) {
    if (auto prepared = keeper_.prepare(set); !prepared) return fail(prepared.error());
    const auto step = runner_.call(left_s_);
    if (!step) {
      end(step.error());
      return std::nullopt;
    }
    left_s_ -= step->span_s;
    ++evaluation_.call;
    auto answer = keeper_.check(set, tolerance_);
    if (!answer) return fail(answer.error());
    checked = std::move(*answer);
    if (!checked.overrun.empty()) {
      evaluation_.errors = checked.errors;
      end({Outcome::kOverrun, "memory in front of output " + checked.overrun + " was overwritten",
           0, 0, "just before output " + checked.overrun});
      return std::nullopt;
    }
    return *step;
  }

  /// A call whose outputs must be right, as they were in the correctness phase.
  Called right_call(int set) {
    CallChecked checked;
    auto called = call(set, checked);
    if (!called || !*called || all_right(checked)) return called;
    evaluation_.errors = checked.errors;
    end({Outcome::kWrong, "the first calls were right, and a later one is not", 0, 0, ""});
    return std::nullopt;
  }

  static bool all_right(const CallChecked& checked) {
    return std::all_of(checked.errors.begin(), checked.errors.end(), is_right);
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
    evaluation_.fault_address_kind = candidate_end.fault_address_kind;
    return false;
  }

  void keep(const TimedTrial& timed) {
    medians_ms_.push_back(median(claimed_ms(timed.candidate)));
    evaluation_.timings.insert(evaluation_.timings.end(), timed.records.begin(),
                               timed.records.end());
    block_speedups_.insert(block_speedups_.end(), timed.block_speedups.begin(),
                           timed.block_speedups.end());
  }

  void conclude(const ReferenceLatency& reference) {
    evaluation_.outcome = Outcome::kCorrect;
    evaluation_.candidate_latency_ms = mean(medians_ms_);
    evaluation_.reference_latency_ms = reference.latency_ms;
    if (evaluation_.candidate_latency_ms > 0) {
      evaluation_.speedup = reference.latency_ms / evaluation_.candidate_latency_ms;
    }
    evaluation_.paired_speedup = median(block_speedups_);
    evaluation_.timings.insert(evaluation_.timings.begin(), reference.timings.begin(),
                               reference.timings.end());
  }

  KeeperClient& keeper_;
  RunnerClient& runner_;
  const EvaluationTask& task_;
  Tolerance tolerance_;
  double left_s_;
  std::mt19937 random_;
  Evaluation evaluation_;
  std::vector<double> medians_ms_;
  std::vector<double> block_speedups_;
};

}  // namespace

int trials_of(const Problem& problem, const ProtocolSettings& protocol) {
  if (protocol.trials > 0) return protocol.trials;
  const Operator* found = find_operator(problem.op_type);
  return found != nullptr ? found->default_trials() : 3;
}

int input_sets_of(int trials) {
  return std::max(trials, 2);
}

Result<ReferenceLatency> measure_reference(KeeperClient& keeper, int trials,
                                           const ProtocolSettings& protocol) {
  ReferenceLatency result;
  std::vector<double> medians_ms;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<CallTime> calls;
    for (int i = 0; i < protocol.warmups + protocol.iterations; ++i) {
      const auto call = reference_call(keeper, trial);
      if (!call) return fail(call.error());
      if (i >= protocol.warmups) calls.push_back(*call);
    }
    const auto samples_ms = claimed_ms(calls);
    medians_ms.push_back(median(samples_ms));
    result.timings.push_back({trial, -1, TimingRecord::Side::kReference, samples_ms});
  }
  result.latency_ms = mean(medians_ms);
  return result;
}

Result<Evaluation> evaluate_candidate(KeeperClient& keeper, RunnerClient& runner,
                                      const KeeperClient::OpenedWorkload& workload,
                                      const ReferenceLatency& reference,
                                      const EvaluationTask& task) {
  return EvaluationRun(keeper, runner, task).run(workload, reference);
}

}  // namespace ptxbatch
