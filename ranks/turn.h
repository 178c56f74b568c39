// One turn, from a model's reply to a record. The stages stand here in their order:
//
//   generate -> extract -> compile -> scan -> evaluate -> sanitize -> evidence -> feedback
//               `---- prepare_candidate ---'  `---- judge_candidate ----'  `- finish_turn
//
// prepare_candidate runs on the compile pool's threads, judge_candidate on the device's thread.
#pragma once

#include <map>
#include <string>

#include "common/clock.h"
#include "ranks/compile/compiler.h"
#include "ranks/profile/judge.h"
#include "ranks/trajectory.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct TurnInHand {
  Trajectory* trajectory = nullptr;  // owned by the pipeline, which holds it until the turn is done
  ReplyRecord reply;
  TurnFacts facts;
  std::string source_sha256;
  bool measurement_reused = false;
  std::string failure;  // of our own making: another rank's turn
  // Why its device did not judge it, so that the turn is another rank's: it was out of service
  // before, it went out of service meanwhile, or the run stops and its pause is not waited for.
  enum class DeviceLoss { kNone, kBefore, kMeanwhile, kStopped };
  DeviceLoss device_loss = DeviceLoss::kNone;
  StageSeconds stages;
  SteadyClock::time_point queued_at;  // when it joined the queue that it waits in
};

/// What was measured for a candidate on a problem: an identical candidate is not measured twice.
class MeasurementCache {
 public:
  struct Entry {
    Evaluation evaluation;
    std::optional<Sanitization> sanitization;
    Evidence evidence;
  };
  [[nodiscard]] const Entry* find(const TurnInHand& turn) const;
  /// Keeps only outcomes that would come out the same again, no time-outs and no faults of ours.
  void store(const TurnInHand& turn);

 private:
  std::map<std::string, Entry> entries_;
};

/// extract, bans, compile, scan. Stops at the first stage that decides the turn.
void prepare_candidate(TurnInHand& turn, Compiler& compiler, const StageBudgets& budgets);

/// Whether there is a binary to run.
bool needs_judging(const TurnInHand& turn);

/// Whether the candidate was measured before; then the turn has what was found.
bool reuse_measurement(TurnInHand& turn, const MeasurementCache& cache);

/// evaluate and, for a correct candidate, evidence. May be done again: nothing of before is kept.
void judge_candidate(TurnInHand& turn, Judge& judge);

/// Label, feedback and the record, from the facts.
TurnRecord finish_turn(const TurnInHand& turn, const Experiment& experiment, int session, int rank);

}  // namespace ptxbatch
