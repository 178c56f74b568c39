// The tables of a results file: one row type each, its columns listed once by visit_columns, in the
// order and under the names that SCHEMA.md gives. A column added here is added there.
#pragma once

#include <cstdint>
#include <string>

#include "results/hdf5_table.h"
#include "results/record_fields.h"
#include "results/records.h"

namespace ptxbatch {

/// Counted up when a reader of the old schema could no longer read the new one; a column or a table
/// more does not count.
inline constexpr std::int32_t kSchemaVersion = 1;

namespace schema {
inline constexpr const char* kExperimentText = "experiment_text";
inline constexpr const char* kTrajectories = "trajectories";
inline constexpr const char* kExperiments = "experiments";
inline constexpr const char* kTurns = "turns";
inline constexpr const char* kTurnDetails = "turn_details";
inline constexpr const char* kRequests = "requests";
inline constexpr const char* kReplies = "replies";
inline constexpr const char* kPrompts = "prompts";
inline constexpr const char* kEnvironment = "environment";
inline constexpr const char* kEvents = "events";
inline constexpr const char* kTrajectoryEnds = "trajectory_ends";
inline constexpr const char* kInstructions = "instructions";
inline constexpr const char* kDeviceReadings = "device_readings";
inline constexpr const char* kTimings = "timings";
inline constexpr const char* kSamples = "samples_ms";
inline constexpr const char* kCauses = "causes";
inline constexpr const char* kTexts = "texts";
inline constexpr const char* kTextBytes = "text_bytes";
}  // namespace schema

/// A row of /texts; -1 stands for the empty text.
using TextRef = std::int64_t;
/// A record's place in the stream of all records (the experiment is 0): restores their order.
using RecordNumber = std::int64_t;

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<PlannedTrajectory> auto& row) {
  visit_fields(visitor, row);
}

/// A version of the experiment: as it was begun, and once more each time that it was extended.
struct ExperimentRow {
  RecordNumber record = 0;
  double started_at_s = 0;
  std::string program_version;
  std::string git_commit;
  std::int32_t turns = 0;
  std::int32_t trajectories = 0;  // the plan was the first so many rows of /trajectories
  TextRef text = -1;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<ExperimentRow> auto& row) {
  visitor("record", row.record);
  visitor("started_at_s", row.started_at_s);
  visitor("program_version", row.program_version);
  visitor("git_commit", row.git_commit);
  visitor("turns", row.turns);
  visitor("trajectories", row.trajectories);
  visitor("text", row.text);
}

struct TurnRow {
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  Label label = Label::kOtherError;
  TargetInstruction target_instruction = TargetInstruction::kNotExamined;
  double speedup = 0;
  double paired_speedup = 0;
  double flop_coverage = 0;
  std::int64_t reasoning_tokens = 0;
  double candidate_latency_ms = 0;
  double reference_latency_ms = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<TurnRow> auto& row) {
  visitor("trajectory", row.trajectory);
  visitor("turn", row.turn);
  visitor("label", row.label);
  visitor("target_instruction", row.target_instruction);
  visitor("speedup", row.speedup);
  visitor("paired_speedup", row.paired_speedup);
  visitor("flop_coverage", row.flop_coverage);
  visitor("reasoning_tokens", row.reasoning_tokens);
  visitor("candidate_latency_ms", row.candidate_latency_ms);
  visitor("reference_latency_ms", row.reference_latency_ms);
}

struct TurnDetailRow {
  RecordNumber record = 0;
  std::int32_t cause = 0;  // row of /causes
  TextRef feedback = -1;
  TextRef source = -1;
  HashText source_sha256;
  TextRef compiler_output = -1;
  double max_abs_error = 0;
  double max_rel_error = 0;
  double rms_rel_error = 0;
  double matching_share = 0;
  std::uint64_t input_seed = 0;
  std::int32_t instructions = 0;  // rows of this turn in /instructions
  std::int32_t timings = 0;       // in /timings
  std::int32_t readings = 0;      // and in /device_readings
  TextRef reference = -1;
  StageSeconds stages;
  std::int32_t session = 0;
  std::int32_t rank = 0;
  double finished_at_s = 0;
  bool measurement_reused = false;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<TurnDetailRow> auto& row) {
  visitor("record", row.record);
  visitor("cause", row.cause);
  visitor("feedback", row.feedback);
  visitor("source", row.source);
  visitor("source_sha256", row.source_sha256);
  visitor("compiler_output", row.compiler_output);
  visitor("max_abs_error", row.max_abs_error);
  visitor("max_rel_error", row.max_rel_error);
  visitor("rms_rel_error", row.rms_rel_error);
  visitor("matching_share", row.matching_share);
  visitor("input_seed", row.input_seed);
  visitor("instructions", row.instructions);
  visitor("timings", row.timings);
  visit_added_later(visitor, "readings", row.readings);
  visit_added_later(visitor, "reference", row.reference);
  visitor("generate_s", row.stages.generate);
  visitor("compile_s", row.stages.compile);
  visitor("scan_s", row.stages.scan);
  visitor("sanitize_s", row.stages.sanitize);
  visitor("evaluate_s", row.stages.evaluate);
  visitor("evidence_s", row.stages.evidence);
  visitor("queue_s", row.stages.queue);
  visitor("session", row.session);
  visitor("rank", row.rank);
  visitor("finished_at_s", row.finished_at_s);
  visitor("measurement_reused", row.measurement_reused);
}

struct InstructionRow {
  std::int64_t turn_row = 0;  // of /turns
  TextRef function = -1;
  std::uint64_t address = 0;
  TextRef text = -1;
  bool executed = false;
  std::int64_t warp_executions = 0;
  std::int64_t thread_executions = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<InstructionRow> auto& row) {
  visitor("turn_row", row.turn_row);
  visitor("function", row.function);
  visitor("address", row.address);
  visitor("text", row.text);
  visitor("executed", row.executed);
  visitor("warp_executions", row.warp_executions);
  visitor("thread_executions", row.thread_executions);
}

struct TimingRow {
  std::int64_t turn_row = 0;  // of /turns
  std::int32_t trial = 0;
  std::int32_t block = 0;
  TimingRecord::Side side = TimingRecord::Side::kCandidate;
  std::int64_t offset = 0;  // of the first sample in /samples_ms
  std::int64_t count = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<TimingRow> auto& row) {
  visitor("turn_row", row.turn_row);
  visitor("trial", row.trial);
  visitor("block", row.block);
  visitor("side", row.side);
  visitor("offset", row.offset);
  visitor("count", row.count);
}

struct RequestRow {
  RecordNumber record = 0;
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  std::int32_t attempt = 0;
  HashText request_sha256;
  double asked_at_s = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<RequestRow> auto& row) {
  visitor("record", row.record);
  visitor("trajectory", row.trajectory);
  visitor("turn", row.turn);
  visitor("attempt", row.attempt);
  visitor("request_sha256", row.request_sha256);
  visitor("asked_at_s", row.asked_at_s);
}

struct DeviceReadingRow {
  std::int64_t turn_row = 0;  // of /turns
  DeviceReading reading;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<DeviceReadingRow> auto& row) {
  visitor("turn_row", row.turn_row);
  visit_fields(visitor, row.reading);
}

struct ReplyRow {
  RecordNumber record = 0;
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  HashText request_sha256;
  HashText prompt_sha256;
  TextRef text = -1;
  TextRef reasoning = -1;
  ReplyEnd end = ReplyEnd::kComplete;
  TextRef model_returned = -1;
  TextRef response_id = -1;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cached_tokens = 0;
  double latency_s = 0;
  double cost_usd = 0;
  TextRef model_requested = -1;
  TextRef fingerprint = -1;
  std::int32_t attempts = 0;
  double first_text_s = 0;
  bool usage_estimated = false;
  bool reasoning_estimated = false;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<ReplyRow> auto& row) {
  visitor("record", row.record);
  visitor("trajectory", row.trajectory);
  visitor("turn", row.turn);
  visitor("request_sha256", row.request_sha256);
  visitor("prompt_sha256", row.prompt_sha256);
  visitor("text", row.text);
  visitor("reasoning", row.reasoning);
  visitor("end", row.end);
  visitor("model_returned", row.model_returned);
  visitor("response_id", row.response_id);
  visitor("prompt_tokens", row.prompt_tokens);
  visitor("completion_tokens", row.completion_tokens);
  visitor("reasoning_tokens", row.reasoning_tokens);
  visitor("cached_tokens", row.cached_tokens);
  visitor("latency_s", row.latency_s);
  visitor("cost_usd", row.cost_usd);
  visit_added_later(visitor, "model_requested", row.model_requested);
  visit_added_later(visitor, "fingerprint", row.fingerprint);
  visit_added_later(visitor, "attempts", row.attempts);
  visit_added_later(visitor, "first_text_s", row.first_text_s);
  visit_added_later(visitor, "usage_estimated", row.usage_estimated);
  visit_added_later(visitor, "reasoning_estimated", row.reasoning_estimated);
}

struct PromptRow {
  RecordNumber record = 0;
  HashText sha256;
  TextRef text = -1;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<PromptRow> auto& row) {
  visitor("record", row.record);
  visitor("sha256", row.sha256);
  visitor("text", row.text);
}

struct EnvironmentRow {
  RecordNumber record = 0;
  EnvironmentRecord environment;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<EnvironmentRow> auto& row) {
  visitor("record", row.record);
  visit_fields(visitor, row.environment);
}

struct EventRow {
  RecordNumber record = 0;
  double at_s = 0;
  std::int32_t session = 0;
  std::int32_t rank = 0;
  std::string kind;
  TextRef message = -1;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<EventRow> auto& row) {
  visitor("record", row.record);
  visitor("at_s", row.at_s);
  visitor("session", row.session);
  visitor("rank", row.rank);
  visitor("kind", row.kind);
  visitor("message", row.message);
}

struct TrajectoryEndRow {
  RecordNumber record = 0;
  std::int32_t trajectory = 0;
  TrajectoryEnd end = TrajectoryEnd::kTurnsDone;
  TextRef message = -1;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<TrajectoryEndRow> auto& row) {
  visitor("record", row.record);
  visitor("trajectory", row.trajectory);
  visitor("end", row.end);
  visitor("message", row.message);
}

struct CauseRow {
  std::string name;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<CauseRow> auto& row) {
  visitor("name", row.name);
}

struct TextRow {
  HashText sha256;
  std::int64_t offset = 0;  // in /text_bytes
  std::int64_t size = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<TextRow> auto& row) {
  visitor("sha256", row.sha256);
  visitor("offset", row.offset);
  visitor("size", row.size);
}

}  // namespace ptxbatch
