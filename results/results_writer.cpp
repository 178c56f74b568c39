// Records into a results file, in one pass. What there is much of (turns, replies, texts, samples)
// goes to disk as it comes; the few rows whose strings set a column's width wait for the end.
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "results/experiment_versions.h"
#include "results/hdf5_attributes.h"
#include "results/results_file.h"
#include "results/schema.h"
#include "results/text_store.h"

namespace ptxbatch {
namespace {

/// The tables that grow with the number of turns.
struct StreamedTables {
  TextWriter texts;
  TableWriter<TurnRow> turns;
  TableWriter<TurnDetailRow> turn_details;
  TableWriter<InstructionRow> instructions;
  TableWriter<TimingRow> timings;
  TableWriter<DeviceReadingRow> readings;
  DatasetWriter samples;
  TableWriter<RequestRow> requests;
  TableWriter<ReplyRow> replies;
  TableWriter<PromptRow> prompts;
  TableWriter<TrajectoryEndRow> trajectory_ends;

  static Result<StreamedTables> create(hid_t file);
  Status finish();
};

Result<StreamedTables> StreamedTables::create(hid_t file) {
  auto texts = TextWriter::create(file);
  if (!texts) return fail(texts.error());
  auto turns = TableWriter<TurnRow>::create(file, schema::kTurns);
  if (!turns) return fail(turns.error());
  auto turn_details = TableWriter<TurnDetailRow>::create(file, schema::kTurnDetails);
  if (!turn_details) return fail(turn_details.error());
  auto instructions = TableWriter<InstructionRow>::create(file, schema::kInstructions);
  if (!instructions) return fail(instructions.error());
  auto timings = TableWriter<TimingRow>::create(file, schema::kTimings);
  if (!timings) return fail(timings.error());
  auto readings = TableWriter<DeviceReadingRow>::create(file, schema::kDeviceReadings);
  if (!readings) return fail(readings.error());
  auto samples = DatasetWriter::create(
      file, schema::kSamples, Hdf5Handle(H5Tcopy(H5T_IEEE_F64LE), H5Tclose), sizeof(double));
  if (!samples) return fail(samples.error());
  auto requests = TableWriter<RequestRow>::create(file, schema::kRequests);
  if (!requests) return fail(requests.error());
  auto replies = TableWriter<ReplyRow>::create(file, schema::kReplies);
  if (!replies) return fail(replies.error());
  auto prompts = TableWriter<PromptRow>::create(file, schema::kPrompts);
  if (!prompts) return fail(prompts.error());
  auto ends = TableWriter<TrajectoryEndRow>::create(file, schema::kTrajectoryEnds);
  if (!ends) return fail(ends.error());
  return StreamedTables{std::move(*texts),        std::move(*turns),    std::move(*turn_details),
                        std::move(*instructions), std::move(*timings),  std::move(*readings),
                        std::move(*samples),      std::move(*requests), std::move(*replies),
                        std::move(*prompts),      std::move(*ends)};
}

Status StreamedTables::finish() {
  for (auto finish_one : {+[](StreamedTables& t) { return t.texts.finish(); },
                          +[](StreamedTables& t) { return t.turns.finish(); },
                          +[](StreamedTables& t) { return t.turn_details.finish(); },
                          +[](StreamedTables& t) { return t.instructions.finish(); },
                          +[](StreamedTables& t) { return t.timings.finish(); },
                          +[](StreamedTables& t) { return t.readings.finish(); },
                          +[](StreamedTables& t) { return t.samples.finish(); },
                          +[](StreamedTables& t) { return t.requests.finish(); },
                          +[](StreamedTables& t) { return t.replies.finish(); },
                          +[](StreamedTables& t) { return t.prompts.finish(); },
                          +[](StreamedTables& t) { return t.trajectory_ends.finish(); }}) {
    PTXBATCH_RETURN_IF_ERROR(finish_one(*this));
  }
  return {};
}

class ResultsWriter {
 public:
  ResultsWriter(hid_t file, StreamedTables tables) : file_(file), tables_(std::move(tables)) {}

  Status add(const Record& record) {
    if (next_record_ == 0 && !std::holds_alternative<ExperimentRecord>(record)) {
      return fail(ErrorKind::kInput, "the first record is not the experiment");
    }
    PTXBATCH_RETURN_IF_ERROR(std::visit([this](const auto& kind) { return put(kind); }, record));
    ++next_record_;
    return {};
  }

  Status finish(bool complete) {
    if (next_record_ == 0) return fail(ErrorKind::kInput, "there are no records to store");
    PTXBATCH_RETURN_IF_ERROR(write_experiment());
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "complete", complete));
    PTXBATCH_RETURN_IF_ERROR(write_table(file_, schema::kExperiments, experiments_));
    PTXBATCH_RETURN_IF_ERROR(write_table(file_, schema::kEnvironment, environments_));
    PTXBATCH_RETURN_IF_ERROR(write_table(file_, schema::kEvents, events_));
    PTXBATCH_RETURN_IF_ERROR(write_table(file_, schema::kCauses, causes_));
    return tables_.finish();
  }

 private:
  // Its last version: a plan only grows. Who began the run is the first version's to say.
  Status write_experiment() const {
    const ExperimentRow& begun = experiments_.front();
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "program", std::string("ptxbatch")));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "schema_version", kSchemaVersion));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "experiment", experiment_.name));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "program_version", begun.program_version));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "git_commit", begun.git_commit));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "started_at_s", begun.started_at_s));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "turns", experiment_.turns));
    PTXBATCH_RETURN_IF_ERROR(write_attribute(file_, "target_speedup", experiment_.target_speedup));
    PTXBATCH_RETURN_IF_ERROR(write_text_dataset(file_, schema::kExperimentText, experiment_.text));
    return write_table(file_, schema::kTrajectories, experiment_.trajectories);
  }

  Status put(const ExperimentRecord& experiment) {
    if (next_record_ > 0 && !extends(experiment, experiment_)) {
      return fail(ErrorKind::kInput, "the records hold a second experiment");
    }
    experiment_ = experiment;
    ExperimentRow row{next_record_,
                      experiment.started_at_s,
                      experiment.program_version,
                      experiment.git_commit,
                      experiment.turns,
                      static_cast<std::int32_t>(experiment.trajectories.size()),
                      -1};
    PTXBATCH_RETURN_IF_ERROR(store(experiment.text, row.text));
    experiments_.push_back(std::move(row));
    return {};
  }

  Status put(const EnvironmentRecord& environment) {
    environments_.push_back({next_record_, environment});
    return {};
  }

  Status put(const PromptRecord& prompt) {
    PromptRow row{next_record_, {prompt.sha256}, -1};
    PTXBATCH_RETURN_IF_ERROR(store(prompt.text, row.text));
    return tables_.prompts.append(row);
  }

  Status put(const RequestRecord& request) {
    return tables_.requests.append({next_record_,
                                    request.trajectory,
                                    request.turn,
                                    request.attempt,
                                    {request.request_sha256},
                                    request.asked_at_s});
  }

  Status put(const ReplyRecord& reply) {
    ReplyRow row;
    row.record = next_record_;
    row.trajectory = reply.trajectory;
    row.turn = reply.turn;
    row.request_sha256.text = reply.request_sha256;
    row.prompt_sha256.text = reply.prompt_sha256;
    row.end = reply.end;
    row.prompt_tokens = reply.prompt_tokens;
    row.completion_tokens = reply.completion_tokens;
    row.reasoning_tokens = reply.reasoning_tokens;
    row.cached_tokens = reply.cached_tokens;
    row.latency_s = reply.latency_s;
    row.cost_usd = reply.cost_usd;
    row.attempts = reply.attempts;
    row.first_text_s = reply.first_text_s;
    row.usage_estimated = reply.usage_estimated;
    row.reasoning_estimated = reply.reasoning_estimated;
    PTXBATCH_RETURN_IF_ERROR(store(reply.text, row.text));
    PTXBATCH_RETURN_IF_ERROR(store(reply.reasoning, row.reasoning));
    PTXBATCH_RETURN_IF_ERROR(store(reply.model_returned, row.model_returned));
    PTXBATCH_RETURN_IF_ERROR(store(reply.response_id, row.response_id));
    PTXBATCH_RETURN_IF_ERROR(store(reply.model_requested, row.model_requested));
    PTXBATCH_RETURN_IF_ERROR(store(reply.fingerprint, row.fingerprint));
    return tables_.replies.append(row);
  }

  Status put(const TurnRecord& turn) {
    const std::int64_t turn_row = tables_.turns.size();
    for (const auto& instruction : turn.instructions) {
      PTXBATCH_RETURN_IF_ERROR(put_instruction(turn_row, instruction));
    }
    for (const auto& timing : turn.timings) {
      PTXBATCH_RETURN_IF_ERROR(put_timing(turn_row, timing));
    }
    for (const auto& reading : turn.readings) {
      PTXBATCH_RETURN_IF_ERROR(tables_.readings.append({turn_row, reading}));
    }
    PTXBATCH_RETURN_IF_ERROR(put_details(turn));
    return tables_.turns.append({turn.trajectory, turn.turn, turn.label, turn.target_instruction,
                                 turn.speedup, turn.paired_speedup, turn.flop_coverage,
                                 turn.reasoning_tokens, turn.candidate_latency_ms,
                                 turn.reference_latency_ms});
  }

  Status put_details(const TurnRecord& turn) {
    TurnDetailRow row;
    row.record = next_record_;
    row.cause = cause_row(turn.cause);
    row.source_sha256.text = turn.source_sha256;
    row.max_abs_error = turn.max_abs_error;
    row.max_rel_error = turn.max_rel_error;
    row.rms_rel_error = turn.rms_rel_error;
    row.matching_share = turn.matching_share;
    row.input_seed = turn.input_seed;
    row.instructions = static_cast<std::int32_t>(turn.instructions.size());
    row.timings = static_cast<std::int32_t>(turn.timings.size());
    row.readings = static_cast<std::int32_t>(turn.readings.size());
    row.stages = turn.stages;
    row.session = turn.session;
    row.rank = turn.rank;
    row.finished_at_s = turn.finished_at_s;
    row.measurement_reused = turn.measurement_reused;
    PTXBATCH_RETURN_IF_ERROR(store(turn.feedback, row.feedback));
    PTXBATCH_RETURN_IF_ERROR(store(turn.source, row.source));
    PTXBATCH_RETURN_IF_ERROR(store(turn.compiler_output, row.compiler_output));
    PTXBATCH_RETURN_IF_ERROR(store(turn.reference, row.reference));
    return tables_.turn_details.append(row);
  }

  Status put_instruction(std::int64_t turn_row, const InstructionRecord& instruction) {
    InstructionRow row{turn_row,
                       -1,
                       instruction.address,
                       -1,
                       instruction.executed,
                       instruction.warp_executions,
                       instruction.thread_executions};
    PTXBATCH_RETURN_IF_ERROR(store(instruction.function, row.function));
    PTXBATCH_RETURN_IF_ERROR(store(instruction.text, row.text));
    return tables_.instructions.append(row);
  }

  Status put_timing(std::int64_t turn_row, const TimingRecord& timing) {
    const auto count = static_cast<std::int64_t>(timing.samples_ms.size());
    PTXBATCH_RETURN_IF_ERROR(tables_.timings.append(
        {turn_row, timing.trial, timing.block, timing.side, tables_.samples.size(), count}));
    return tables_.samples.append(timing.samples_ms.data(), timing.samples_ms.size());
  }

  Status put(const TrajectoryEndRecord& end) {
    TrajectoryEndRow row{next_record_, end.trajectory, end.end, -1};
    PTXBATCH_RETURN_IF_ERROR(store(end.message, row.message));
    return tables_.trajectory_ends.append(row);
  }

  Status put(const EventRecord& event) {
    EventRow row{next_record_, event.at_s, event.session, event.rank, event.kind, -1};
    PTXBATCH_RETURN_IF_ERROR(store(event.message, row.message));
    events_.push_back(std::move(row));
    return {};
  }

  Status store(const std::string& text, TextRef& ref) {
    auto stored = tables_.texts.put(text);
    if (!stored) return fail(stored.error());
    ref = *stored;
    return {};
  }

  std::int32_t cause_row(const std::string& cause) {
    const auto next = static_cast<std::int32_t>(causes_.size());
    const auto [entry, is_new] = cause_rows_.try_emplace(cause, next);
    if (is_new) causes_.push_back({cause});
    return entry->second;
  }

  hid_t file_;
  StreamedTables tables_;
  RecordNumber next_record_ = 0;
  ExperimentRecord experiment_;  // its last version
  std::vector<ExperimentRow> experiments_;
  std::vector<EnvironmentRow> environments_;
  std::vector<EventRow> events_;
  std::vector<CauseRow> causes_;
  std::unordered_map<std::string, std::int32_t> cause_rows_;
};

Status write_records(hid_t file, const RecordSource& source, bool complete) {
  auto tables = StreamedTables::create(file);
  if (!tables) return fail(tables.error());
  ResultsWriter writer(file, std::move(*tables));
  PTXBATCH_RETURN_IF_ERROR(source([&writer](Record&& record) { return writer.add(record); }));
  PTXBATCH_RETURN_IF_ERROR(writer.finish(complete));
  return PTXBATCH_HDF5(H5Fflush(file, H5F_SCOPE_GLOBAL));
}

Status build_file(const std::string& path, const RecordSource& source, bool complete) {
  const QuietHdf5Errors quiet;
  auto file = create_hdf5_file(path);
  if (!file) return fail(file.error());
  PTXBATCH_RETURN_IF_ERROR(write_records(file->get(), source, complete));
  return PTXBATCH_HDF5(file->close());
}

// HDF5 keeps a file open that it could not close for want of disk space. Removed alone, the file
// would hold on to that space until the process ends; so it is cut first.
void remove_unfinished(FileSystem& files, const std::string& path) {
  if (!files.exists(path)) return;
  if (const auto file = files.open_append(path)) static_cast<void>((*file)->truncate(0));
  static_cast<void>(files.remove(path));
}

}  // namespace

Status write_results_file(FileSystem& files, const std::string& path, const RecordSource& source,
                          bool complete) {
  const std::string unfinished = path + ".tmp";
  Status status = build_file(unfinished, source, complete);
  if (status) status = files.replace(unfinished, path);
  if (!status) {
    remove_unfinished(files, unfinished);
    if (status.error().file.empty()) status.error().file = path;
  }
  return status;
}

}  // namespace ptxbatch
