#include "ranks/turn.h"

#include <algorithm>

#include "common/hash.h"
#include "ranks/compile/bans.h"
#include "ranks/compile/disassembly.h"
#include "ranks/prompt/extract.h"
#include "ranks/prompt/feedback.h"
#include "ranks/prompt/repair_notes.h"
#include "results/own_failure.h"

namespace ptxbatch {
namespace {

std::string measurement_key(const TurnInHand& turn) {
  const PlannedTrajectory& plan = turn.trajectory->plan();
  return turn.source_sha256 + " " + plan.target + " " + plan.definition + " " + plan.workload;
}

// The worst over the outputs, as the columns of the turn table.
void add_errors(const std::vector<OutputError>& errors, TurnRecord& record) {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  for (const OutputError& error : errors) {
    record.max_abs_error = std::max(record.max_abs_error, error.max_abs);
    record.max_rel_error = std::max(record.max_rel_error, error.max_rel);
    record.rms_rel_error = std::max(record.rms_rel_error, error.rms_rel);
    elements += error.elements;
    wrong += error.wrong;
  }
  if (elements > 0) {
    record.matching_share = static_cast<double>(elements - wrong) / static_cast<double>(elements);
  }
}

void add_evaluation(const Evaluation& evaluation, TurnRecord& record) {
  record.candidate_latency_ms = evaluation.candidate_latency_ms;
  record.reference_latency_ms = evaluation.reference_latency_ms;
  record.timings = evaluation.timings;
  record.readings = evaluation.readings;
  record.reference = evaluation.reference;
  add_errors(evaluation.errors, record);
  if (record.label == Label::kCorrect) {
    record.speedup = evaluation.speedup;
    record.paired_speedup = evaluation.paired_speedup;
  }
}

// One that hangs would only hang again, for longer; one whose process crashed says why itself.
bool is_worth_sanitizing(const Evaluation& evaluation) {
  using Outcome = Evaluation::Outcome;
  return evaluation.outcome == Outcome::kCorrect || evaluation.outcome == Outcome::kWrong ||
         evaluation.outcome == Outcome::kDeviceFault || evaluation.outcome == Outcome::kOverrun;
}

bool is_repeatable(const TurnFacts& facts) {
  using Outcome = Evaluation::Outcome;
  const Outcome outcome = facts.evaluation->outcome;
  if (outcome == Outcome::kServiceFailure || outcome == Outcome::kTimedOut ||
      outcome == Outcome::kTimingViolation) {
    return false;
  }
  return !facts.sanitization || (facts.sanitization->outcome != Sanitization::Outcome::kTimedOut &&
                                 facts.sanitization->outcome != Sanitization::Outcome::kToolFailed);
}

std::string retrieved_notes(const TurnInHand& turn, Label label) {
  const TrajectorySpecs& specs = turn.trajectory->specs();
  if (specs.model == nullptr || !is_own_failure(label)) return {};
  const RepairNotesSettings& settings = specs.model->variant.repair_notes;
  if (!settings.corpus) return {};
  return settings.corpus->text_for(specs.target->name, specs.problem->problem.definition,
                                   turn.facts.extraction.source, settings);
}

}  // namespace

const MeasurementCache::Entry* MeasurementCache::find(const TurnInHand& turn) const {
  const auto found = entries_.find(measurement_key(turn));
  return found == entries_.end() ? nullptr : &found->second;
}

void MeasurementCache::store(const TurnInHand& turn) {
  if (!is_repeatable(turn.facts)) return;
  entries_[measurement_key(turn)] = {*turn.facts.evaluation, turn.facts.sanitization,
                                     turn.facts.evidence.value_or(Evidence{})};
}

void prepare_candidate(TurnInHand& turn, Compiler& compiler, const StageBudgets& budgets) {
  turn.stages.queue += seconds_since(turn.queued_at);
  const TargetSpec& target = *turn.trajectory->specs().target;
  turn.facts.extraction = extract_code(turn.reply.text);
  if (turn.facts.extraction.outcome != Extraction::Outcome::kFound) return;
  const std::string& source = turn.facts.extraction.source;
  turn.source_sha256 = sha256_hex(source);

  turn.facts.banned = find_banned_use(source, target.name);
  if (turn.facts.banned) return;

  auto compilation = compiler.compile(source, turn.source_sha256, budgets.compile_s);
  if (!compilation) {
    turn.failure = describe(compilation.error());
    return;
  }
  turn.stages.compile = compilation->seconds;
  turn.facts.compilation = std::move(*compilation);
  if (turn.facts.compilation->outcome != Compilation::Outcome::kCompiled) return;

  turn.facts.scan = scan_binary(target.name, turn.facts.compilation->binary, budgets.compile_s);
  turn.stages.scan = turn.facts.scan->seconds;
}

bool needs_judging(const TurnInHand& turn) {
  return turn.failure.empty() && turn.facts.compilation &&
         turn.facts.compilation->outcome == Compilation::Outcome::kCompiled;
}

bool reuse_measurement(TurnInHand& turn, const MeasurementCache& cache) {
  const auto* known = cache.find(turn);
  if (known == nullptr) return false;
  turn.facts.evaluation = known->evaluation;
  turn.facts.sanitization = known->sanitization;
  turn.facts.evidence = known->evidence;
  turn.measurement_reused = true;
  return true;
}

void judge_candidate(TurnInHand& turn, Judge& judge) {
  const Problem& problem = turn.trajectory->specs().problem->problem;
  const std::string& binary = turn.facts.compilation->binary;
  turn.facts.sanitization.reset();
  turn.facts.evidence.reset();
  turn.facts.evaluation = judge.evaluate(problem, binary);
  turn.stages.evaluate = turn.facts.evaluation->seconds;
  if (is_worth_sanitizing(*turn.facts.evaluation)) {
    turn.facts.sanitization = judge.sanitize(problem, binary);
    turn.stages.sanitize = turn.facts.sanitization->seconds;
  }
  if (label_of(turn.facts).label == Label::kCorrect) {
    turn.facts.evidence = judge.collect_evidence(problem, binary, *turn.facts.scan);
    turn.stages.evidence = turn.facts.evidence->seconds;
  }
}

TurnRecord finish_turn(const TurnInHand& turn, const Experiment& experiment, int session,
                       int rank) {
  const TurnFacts& facts = turn.facts;
  const TrajectorySpecs& specs = turn.trajectory->specs();
  auto [label, cause] = label_of(facts);
  TurnRecord record;
  record.trajectory = turn.reply.trajectory;
  record.turn = turn.reply.turn;
  record.label = label;
  record.cause = std::move(cause);
  record.source = facts.extraction.source;
  record.source_sha256 = turn.source_sha256;
  if (facts.compilation) record.compiler_output = facts.compilation->output;
  if (facts.evaluation) add_evaluation(*facts.evaluation, record);
  if (facts.evidence) {
    record.target_instruction = facts.evidence->state;
    record.instructions = facts.evidence->instructions;
    record.flop_coverage = facts.evidence->flop_coverage;
  }
  record.input_seed = experiment.protocol.input_seed;
  record.stages = turn.stages;
  record.reasoning_tokens = turn.reply.reasoning_tokens;
  record.session = session;
  record.rank = rank;
  record.finished_at_s = unix_time_s();
  record.measurement_reused = turn.measurement_reused;
  record.feedback = make_feedback(facts, specs.problem->problem, *specs.target, experiment.protocol,
                                  experiment.rank.feedback_max_tokens) +
                    retrieved_notes(turn, label);
  return record;
}

}  // namespace ptxbatch
