// The fields of each record, listed once: the encoder and the decoder of record_codec.cpp both walk
// these lists, so that they cannot drift apart. `Archive` is called with each field's name and a
// reference to it; `Record` is const for encoding. A field that was added later goes through
// visit_added_later: what was written before has it not, and reads as its default.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "results/records.h"

namespace ptxbatch {

template <class T, class Record>
concept SameRecord = std::same_as<std::remove_const_t<T>, Record>;

struct AddedLater {};
inline constexpr AddedLater kAddedLater;

/// Visits such a field; only who reads needs to tell it from the others.
template <class Archive, class T>
void visit_added_later(Archive& archive, const char* name, T& value) {
  if constexpr (requires { archive(name, value, kAddedLater); }) {
    archive(name, value, kAddedLater);
  } else {
    archive(name, value);
  }
}

/// What a record is called in its "type" field.
template <class Record>
constexpr std::string_view record_type_name() {
  if constexpr (std::same_as<Record, ExperimentRecord>) return "experiment";
  if constexpr (std::same_as<Record, EnvironmentRecord>) return "environment";
  if constexpr (std::same_as<Record, PromptRecord>) return "prompt";
  if constexpr (std::same_as<Record, RequestRecord>) return "request";
  if constexpr (std::same_as<Record, ReplyRecord>) return "reply";
  if constexpr (std::same_as<Record, TurnRecord>) return "turn";
  if constexpr (std::same_as<Record, TrajectoryEndRecord>) return "trajectory_end";
  if constexpr (std::same_as<Record, EventRecord>) return "event";
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<PlannedTrajectory> auto& record) {
  archive("index", record.index);
  archive("id", record.id);
  archive("model", record.model);
  archive("target", record.target);
  archive("problem", record.problem);
  archive("definition", record.definition);
  archive("workload", record.workload);
  archive("prompt_tag", record.prompt_tag);
  archive("prompt_block", record.prompt_block);
  archive("replica", record.replica);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<ExperimentRecord> auto& record) {
  archive("name", record.name);
  archive("text", record.text);
  archive("program_version", record.program_version);
  archive("git_commit", record.git_commit);
  archive("started_at_s", record.started_at_s);
  archive("turns", record.turns);
  archive("target_speedup", record.target_speedup);
  archive("trajectories", record.trajectories);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<EnvironmentRecord> auto& record) {
  archive("session", record.session);
  archive("rank", record.rank);
  archive("host", record.host);
  archive("target", record.target);
  archive("device_name", record.device_name);
  archive("device_id", record.device_id);
  archive("driver", record.driver);
  archive("libraries", record.libraries);
  archive("program_version", record.program_version);
  archive("git_commit", record.git_commit);
  archive("started_at_s", record.started_at_s);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<PromptRecord> auto& record) {
  archive("sha256", record.sha256);
  archive("text", record.text);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<RequestRecord> auto& record) {
  archive("trajectory", record.trajectory);
  archive("turn", record.turn);
  archive("attempt", record.attempt);
  archive("request_sha256", record.request_sha256);
  archive("asked_at_s", record.asked_at_s);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<ReplyRecord> auto& record) {
  archive("trajectory", record.trajectory);
  archive("turn", record.turn);
  archive("request_sha256", record.request_sha256);
  archive("prompt_sha256", record.prompt_sha256);
  archive("text", record.text);
  archive("reasoning", record.reasoning);
  archive("end", record.end);
  archive("model_returned", record.model_returned);
  archive("response_id", record.response_id);
  archive("prompt_tokens", record.prompt_tokens);
  archive("completion_tokens", record.completion_tokens);
  archive("reasoning_tokens", record.reasoning_tokens);
  archive("cached_tokens", record.cached_tokens);
  archive("latency_s", record.latency_s);
  archive("cost_usd", record.cost_usd);
  visit_added_later(archive, "model_requested", record.model_requested);
  visit_added_later(archive, "fingerprint", record.fingerprint);
  visit_added_later(archive, "attempts", record.attempts);
  visit_added_later(archive, "first_text_s", record.first_text_s);
  visit_added_later(archive, "usage_estimated", record.usage_estimated);
  visit_added_later(archive, "reasoning_estimated", record.reasoning_estimated);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<TimingRecord> auto& record) {
  archive("trial", record.trial);
  archive("block", record.block);
  archive("side", record.side);
  archive("samples_ms", record.samples_ms);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<DeviceReading> auto& record) {
  archive("moment", record.moment);
  archive("sm_clock_mhz", record.sm_clock_mhz);
  archive("memory_clock_mhz", record.memory_clock_mhz);
  archive("temperature_c", record.temperature_c);
  archive("power_w", record.power_w);
  archive("throttle_reasons", record.throttle_reasons);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<InstructionRecord> auto& record) {
  archive("function", record.function);
  archive("address", record.address);
  archive("text", record.text);
  archive("executed", record.executed);
  archive("warp_executions", record.warp_executions);
  archive("thread_executions", record.thread_executions);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<StageSeconds> auto& record) {
  archive("generate", record.generate);
  archive("compile", record.compile);
  archive("scan", record.scan);
  archive("sanitize", record.sanitize);
  archive("evaluate", record.evaluate);
  archive("evidence", record.evidence);
  archive("queue", record.queue);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<TurnRecord> auto& record) {
  archive("trajectory", record.trajectory);
  archive("turn", record.turn);
  archive("label", record.label);
  archive("cause", record.cause);
  archive("feedback", record.feedback);
  archive("source", record.source);
  archive("source_sha256", record.source_sha256);
  archive("compiler_output", record.compiler_output);
  archive("speedup", record.speedup);
  archive("paired_speedup", record.paired_speedup);
  archive("candidate_latency_ms", record.candidate_latency_ms);
  archive("reference_latency_ms", record.reference_latency_ms);
  archive("max_abs_error", record.max_abs_error);
  archive("max_rel_error", record.max_rel_error);
  archive("rms_rel_error", record.rms_rel_error);
  archive("matching_share", record.matching_share);
  archive("input_seed", record.input_seed);
  archive("target_instruction", record.target_instruction);
  archive("flop_coverage", record.flop_coverage);
  archive("instructions", record.instructions);
  archive("timings", record.timings);
  visit_added_later(archive, "readings", record.readings);
  visit_added_later(archive, "reference", record.reference);
  archive("stages", record.stages);
  archive("reasoning_tokens", record.reasoning_tokens);
  archive("session", record.session);
  archive("rank", record.rank);
  archive("finished_at_s", record.finished_at_s);
  archive("measurement_reused", record.measurement_reused);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<TrajectoryEndRecord> auto& record) {
  archive("trajectory", record.trajectory);
  archive("end", record.end);
  archive("message", record.message);
}

template <class Archive>
void visit_fields(Archive& archive, SameRecord<EventRecord> auto& record) {
  archive("at_s", record.at_s);
  archive("session", record.session);
  archive("rank", record.rank);
  archive("kind", record.kind);
  archive("message", record.message);
}

}  // namespace ptxbatch
