// One candidate's evaluation from outside: the order of its calls, what is checked after each, and
// when it ends. The keeper decides whether an output is right; this decides what is called, in
// which order, on which inputs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/experiment.h"
#include "ranks/profile/keeper_client.h"
#include "ranks/profile/runner_client.h"
#include "ranks/profile/timing.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

/// The reference timed as the paper does: alone, once, before any candidate of its workload.
struct ReferenceLatency {
  double latency_ms = 0;              // mean over the trials of the medians
  std::vector<TimingRecord> timings;  // one a trial, with block -1
  // Calls of something trusted, to hold a candidate's calls against: on a GPU of an empty kernel in
  // a runner, on the host of the reference itself.
  std::vector<CallTime> honest_calls;
};

/// What differs between devices in how a measurement is believed.
struct MeasurementRules {
  TimingSlack slack;
  double drift_limit = 0;       // of the reference within one trial, as a share; 0: none
  double least_drift_ms = 0;    // less is no drift, whatever share it is
  bool span_has_check = false;  // the comparison after a call counts into its span
  double least_latency_ms = 0;  // no right kernel is faster; 0: unknown
};

struct EvaluationTask {
  const Problem& problem;
  const std::string& binary;
  const ProtocolSettings& protocol;
  int trials = 1;
  double budget_s = 0;  // for the candidate's load and calls together
  MeasurementRules rules;
  // GPU: measures honest calls afresh, when a candidate's do not fit those known.
  std::function<Result<std::vector<CallTime>>()> measure_honest_calls;
};

/// The problem's number of trials: the experiment's, else the operator's own.
int trials_of(const Problem& problem, const ProtocolSettings& protocol);
/// Input sets the keeper makes: one a trial, and never fewer than two, so that the inputs can be
/// changed under a candidate.
int input_sets_of(int trials);

/// The roofline bound: the time that the device needs at its peaks for the problem's operations
/// (Operator::flops) or for reading every input and writing every output once, whichever is longer.
/// 0 when the peaks are unknown.
double least_latency_ms(const Problem& problem, const DeviceInfo& device);

/// The share by which the medians differ, where that is more than noise; else 0.
double drift_of(const std::vector<double>& medians_ms, const MeasurementRules& rules);

/// Who keeps the state that candidates see, and who runs the reference when it is timed. On a GPU
/// these are two processes: the change of context before a kernel makes it about 1 % faster, so
/// that the reference needs one before it as a candidate has. On the host they are one.
struct Keepers {
  KeeperClient& state;
  KeeperClient& reference;
};

/// The workload must be open at both keepers.
Result<ReferenceLatency> measure_reference(const Keepers& keepers, int trials,
                                           const ProtocolSettings& protocol,
                                           const MeasurementRules& rules);

/// How long the calls of an honest candidate take beyond the GPU's work in them: those of the
/// task's binary, which launches an empty kernel, in a ready runner.
Result<std::vector<CallTime>> time_honest_calls(KeeperClient& keeper, RunnerClient& runner,
                                                const KeeperClient::OpenedWorkload& workload,
                                                const EvaluationTask& task);

/// The whole evaluation, in a ready runner. An error is a failure of ours: the keeper is lost.
Result<Evaluation> evaluate_candidate(const Keepers& keepers, RunnerClient& runner,
                                      const KeeperClient::OpenedWorkload& workload,
                                      const ReferenceLatency& reference,
                                      const EvaluationTask& task);

}  // namespace ptxbatch
