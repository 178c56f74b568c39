// A results file back into the records that it was made from, in their order. Each table is read as
// a stream; the record number of its next row says whose turn it is.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "results/results_file.h"
#include "results/results_input.h"
#include "results/schema.h"
#include "results/text_store.h"

namespace ptxbatch {
namespace {

/// The rows of one table as records.
class RecordStream {
 public:
  virtual ~RecordStream() = default;
  /// The record number of the next row; nothing at the end.
  [[nodiscard]] virtual std::optional<RecordNumber> next_number() const = 0;
  virtual Result<Record> take() = 0;
};

template <class Row>
class TableStream final : public RecordStream {
 public:
  using MakeRecord = std::function<Result<Record>(const Row&)>;

  static Result<std::unique_ptr<RecordStream>> open(const ResultsInput& file, const char* name,
                                                    MakeRecord make_record) {
    auto rows = TableReader<Row>::open(file.id(), file.path(), name);
    if (!rows) return fail(rows.error());
    auto stream = std::make_unique<TableStream>(std::move(*rows), std::move(make_record));
    PTXBATCH_RETURN_IF_ERROR(stream->advance());
    return stream;
  }

  TableStream(TableReader<Row> rows, MakeRecord make_record)
      : rows_(std::move(rows)), make_record_(std::move(make_record)) {}

  [[nodiscard]] std::optional<RecordNumber> next_number() const override {
    if (!has_row_) return std::nullopt;
    return row_.record;
  }

  Result<Record> take() override {
    auto record = make_record_(row_);
    if (!record) return record;
    PTXBATCH_RETURN_IF_ERROR(advance());
    return record;
  }

 private:
  Status advance() {
    const auto more = rows_.next(row_);
    if (!more) return fail(more.error());
    has_row_ = *more;
    return {};
  }

  TableReader<Row> rows_;
  MakeRecord make_record_;
  Row row_;
  bool has_row_ = false;
};

/// The tables that together hold a turn: all in the order of the turns.
class TurnSource {
 public:
  static Result<std::unique_ptr<TurnSource>> open(const ResultsInput& file, TextReader& texts);
  Result<Record> turn_of(const TurnDetailRow& details);

 private:
  TurnSource(TextReader& texts, std::vector<std::string> causes, TableReader<TurnRow> turns,
             TableReader<InstructionRow> instructions, TableReader<TimingRow> timings,
             std::optional<TableReader<DeviceReadingRow>> readings, DatasetReader samples)
      : texts_(texts),
        causes_(std::move(causes)),
        turns_(std::move(turns)),
        instructions_(std::move(instructions)),
        timings_(std::move(timings)),
        readings_(std::move(readings)),
        samples_(std::move(samples)) {}

  Status read_core(TurnRecord& turn);
  Status read_details(const TurnDetailRow& row, TurnRecord& turn);
  Status read_instructions(std::int32_t count, TurnRecord& turn);
  Status read_timings(std::int32_t count, TurnRecord& turn);
  Status read_readings(std::int32_t count, TurnRecord& turn);

  TextReader& texts_;
  std::vector<std::string> causes_;
  TableReader<TurnRow> turns_;
  TableReader<InstructionRow> instructions_;
  TableReader<TimingRow> timings_;
  std::optional<TableReader<DeviceReadingRow>> readings_;  // a file that was written before: none
  DatasetReader samples_;
  std::int64_t turn_row_ = 0;
};

template <class Row>
Result<std::vector<Row>> read_table(const ResultsInput& file, const char* name) {
  auto table = TableReader<Row>::open(file.id(), file.path(), name);
  if (!table) return fail(table.error());
  std::vector<Row> rows;
  Row row;
  while (true) {
    const auto more = table->next(row);
    if (!more) return fail(more.error());
    if (!*more) return rows;
    rows.push_back(row);
  }
}

Status read_text(TextReader& texts, TextRef ref, std::string& text) {
  auto found = texts.get(ref);
  if (!found) return fail(found.error());
  text = std::move(*found);
  return {};
}

Result<std::unique_ptr<TurnSource>> TurnSource::open(const ResultsInput& file, TextReader& texts) {
  const auto cause_rows = read_table<CauseRow>(file, schema::kCauses);
  if (!cause_rows) return fail(cause_rows.error());
  std::vector<std::string> causes;
  for (const CauseRow& row : *cause_rows) causes.push_back(row.name);
  auto turns = TableReader<TurnRow>::open(file.id(), file.path(), schema::kTurns);
  if (!turns) return fail(turns.error());
  auto instructions =
      TableReader<InstructionRow>::open(file.id(), file.path(), schema::kInstructions);
  if (!instructions) return fail(instructions.error());
  auto timings = TableReader<TimingRow>::open(file.id(), file.path(), schema::kTimings);
  if (!timings) return fail(timings.error());
  std::optional<TableReader<DeviceReadingRow>> readings;
  if (has_dataset(file.id(), schema::kDeviceReadings)) {
    auto table =
        TableReader<DeviceReadingRow>::open(file.id(), file.path(), schema::kDeviceReadings);
    if (!table) return fail(table.error());
    readings = std::move(*table);
  }
  auto samples = DatasetReader::open(file.id(), file.path(), schema::kSamples);
  if (!samples) return fail(samples.error());
  samples->read_as(Hdf5Handle(H5Tcopy(H5T_IEEE_F64LE), H5Tclose));
  return std::unique_ptr<TurnSource>(new TurnSource(texts, std::move(causes), std::move(*turns),
                                                    std::move(*instructions), std::move(*timings),
                                                    std::move(readings), std::move(*samples)));
}

Result<Record> TurnSource::turn_of(const TurnDetailRow& details) {
  TurnRecord turn;
  PTXBATCH_RETURN_IF_ERROR(read_core(turn));
  PTXBATCH_RETURN_IF_ERROR(read_details(details, turn));
  PTXBATCH_RETURN_IF_ERROR(read_instructions(details.instructions, turn));
  PTXBATCH_RETURN_IF_ERROR(read_timings(details.timings, turn));
  PTXBATCH_RETURN_IF_ERROR(read_readings(details.readings, turn));
  ++turn_row_;
  return turn;
}

Status TurnSource::read_core(TurnRecord& turn) {
  TurnRow row;
  const auto more = turns_.next(row);
  if (!more) return fail(more.error());
  if (!*more) return fail(turns_.error("it has fewer rows than turn_details"));
  turn.trajectory = row.trajectory;
  turn.turn = row.turn;
  turn.label = row.label;
  turn.target_instruction = row.target_instruction;
  turn.speedup = row.speedup;
  turn.paired_speedup = row.paired_speedup;
  turn.flop_coverage = row.flop_coverage;
  turn.reasoning_tokens = row.reasoning_tokens;
  turn.candidate_latency_ms = row.candidate_latency_ms;
  turn.reference_latency_ms = row.reference_latency_ms;
  return {};
}

Status TurnSource::read_details(const TurnDetailRow& row, TurnRecord& turn) {
  if (row.cause < 0 || row.cause >= static_cast<std::int32_t>(causes_.size())) {
    return fail(turns_.error("a turn names a cause that is not there"));
  }
  turn.cause = causes_[static_cast<std::size_t>(row.cause)];
  turn.source_sha256 = row.source_sha256.text;
  turn.max_abs_error = row.max_abs_error;
  turn.max_rel_error = row.max_rel_error;
  turn.rms_rel_error = row.rms_rel_error;
  turn.matching_share = row.matching_share;
  turn.input_seed = row.input_seed;
  turn.stages = row.stages;
  turn.session = row.session;
  turn.rank = row.rank;
  turn.finished_at_s = row.finished_at_s;
  turn.measurement_reused = row.measurement_reused;
  PTXBATCH_RETURN_IF_ERROR(read_text(texts_, row.feedback, turn.feedback));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts_, row.source, turn.source));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts_, row.reference, turn.reference));
  return read_text(texts_, row.compiler_output, turn.compiler_output);
}

Status TurnSource::read_instructions(std::int32_t count, TurnRecord& turn) {
  InstructionRow row;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto more = instructions_.next(row);
    if (!more) return fail(more.error());
    if (!*more || row.turn_row != turn_row_) {
      return fail(
          instructions_.error("rows of turn " + std::to_string(turn_row_) + " are missing"));
    }
    InstructionRecord& instruction = turn.instructions.emplace_back();
    instruction.address = row.address;
    instruction.executed = row.executed;
    instruction.warp_executions = row.warp_executions;
    instruction.thread_executions = row.thread_executions;
    PTXBATCH_RETURN_IF_ERROR(read_text(texts_, row.function, instruction.function));
    PTXBATCH_RETURN_IF_ERROR(read_text(texts_, row.text, instruction.text));
  }
  return {};
}

Status TurnSource::read_timings(std::int32_t count, TurnRecord& turn) {
  TimingRow row;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto more = timings_.next(row);
    if (!more) return fail(more.error());
    if (!*more || row.turn_row != turn_row_) {
      return fail(timings_.error("rows of turn " + std::to_string(turn_row_) + " are missing"));
    }
    if (row.count < 0 || row.count > samples_.size()) {
      return fail(timings_.error("a row has more samples than there are"));
    }
    TimingRecord& timing = turn.timings.emplace_back();
    timing.trial = row.trial;
    timing.block = row.block;
    timing.side = row.side;
    timing.samples_ms.resize(static_cast<std::size_t>(row.count));
    PTXBATCH_RETURN_IF_ERROR(samples_.read(row.offset, row.count, timing.samples_ms.data()));
  }
  return {};
}

Status TurnSource::read_readings(std::int32_t count, TurnRecord& turn) {
  DeviceReadingRow row;
  for (std::int32_t i = 0; i < count; ++i) {
    if (!readings_) return fail(turns_.error("the table of the device's readings is missing"));
    const auto more = readings_->next(row);
    if (!more) return fail(more.error());
    if (!*more || row.turn_row != turn_row_) {
      return fail(readings_->error("rows of turn " + std::to_string(turn_row_) + " are missing"));
    }
    turn.readings.push_back(row.reading);
  }
  return {};
}

Result<Record> reply_of(TextReader& texts, const ReplyRow& row) {
  ReplyRecord reply;
  reply.trajectory = row.trajectory;
  reply.turn = row.turn;
  reply.request_sha256 = row.request_sha256.text;
  reply.prompt_sha256 = row.prompt_sha256.text;
  reply.end = row.end;
  reply.prompt_tokens = row.prompt_tokens;
  reply.completion_tokens = row.completion_tokens;
  reply.reasoning_tokens = row.reasoning_tokens;
  reply.cached_tokens = row.cached_tokens;
  reply.latency_s = row.latency_s;
  reply.cost_usd = row.cost_usd;
  reply.attempts = row.attempts;
  reply.first_text_s = row.first_text_s;
  reply.usage_estimated = row.usage_estimated;
  reply.reasoning_estimated = row.reasoning_estimated;
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.text, reply.text));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.reasoning, reply.reasoning));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.model_returned, reply.model_returned));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.response_id, reply.response_id));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.model_requested, reply.model_requested));
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.fingerprint, reply.fingerprint));
  return reply;
}

Result<Record> request_of(const RequestRow& row) {
  return RequestRecord{row.trajectory, row.turn, row.attempt, row.request_sha256.text,
                       row.asked_at_s};
}

Result<Record> prompt_of(TextReader& texts, const PromptRow& row) {
  PromptRecord prompt{row.sha256.text, {}};
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.text, prompt.text));
  return prompt;
}

Result<Record> end_of(TextReader& texts, const TrajectoryEndRow& row) {
  TrajectoryEndRecord end{row.trajectory, row.end, {}};
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.message, end.message));
  return end;
}

Result<Record> event_of(TextReader& texts, const EventRow& row) {
  EventRecord event{row.at_s, row.session, row.rank, row.kind, {}};
  PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.message, event.message));
  return event;
}

Result<ExperimentRecord> read_experiment(const ResultsInput& file) {
  const auto name = file.attribute<std::string>("experiment");
  if (!name) return fail(name.error());
  const auto program_version = file.attribute<std::string>("program_version");
  if (!program_version) return fail(program_version.error());
  const auto git_commit = file.attribute<std::string>("git_commit");
  if (!git_commit) return fail(git_commit.error());
  const auto started_at_s = file.attribute<double>("started_at_s");
  if (!started_at_s) return fail(started_at_s.error());
  const auto turns = file.attribute<std::int32_t>("turns");
  if (!turns) return fail(turns.error());
  const auto target_speedup = file.attribute<double>("target_speedup");
  if (!target_speedup) return fail(target_speedup.error());
  auto text = read_text_dataset(file.id(), file.path(), schema::kExperimentText);
  if (!text) return fail(text.error());
  auto trajectories = read_table<PlannedTrajectory>(file, schema::kTrajectories);
  if (!trajectories) return fail(trajectories.error());
  return ExperimentRecord{*name,           std::move(*text),        *program_version,
                          *git_commit,     *started_at_s,           *turns,
                          *target_speedup, std::move(*trajectories)};
}

/// The versions of the experiment behind the first.
class ExtensionStream final : public RecordStream {
 public:
  struct Extension {
    RecordNumber record = 0;
    ExperimentRecord experiment;
  };
  explicit ExtensionStream(std::vector<Extension> extensions)
      : extensions_(std::move(extensions)) {}

  [[nodiscard]] std::optional<RecordNumber> next_number() const override {
    if (next_ == extensions_.size()) return std::nullopt;
    return extensions_[next_].record;
  }
  Result<Record> take() override { return std::move(extensions_[next_++].experiment); }

 private:
  std::vector<Extension> extensions_;
  std::size_t next_ = 0;
};

/// Files from before experiments could be extended hold one version and no such table.
Result<std::vector<ExtensionStream::Extension>> read_versions(const ResultsInput& file,
                                                              TextReader& texts) {
  auto last = read_experiment(file);
  if (!last) return fail(last.error());
  std::vector<ExtensionStream::Extension> versions;
  if (!has_dataset(file.id(), schema::kExperiments)) {
    versions.push_back({0, std::move(*last)});
    return versions;
  }
  const auto rows = read_table<ExperimentRow>(file, schema::kExperiments);
  if (!rows) return fail(rows.error());
  if (rows->empty()) return fail(file.error("it has no version of the experiment"));
  for (const ExperimentRow& row : *rows) {
    const auto planned = static_cast<std::size_t>(row.trajectories);
    if (row.trajectories < 0 || planned > last->trajectories.size()) {
      return fail(file.error("a version of the experiment has more trajectories than the plan"));
    }
    ExperimentRecord version{last->name,       {},        row.program_version,  row.git_commit,
                             row.started_at_s, row.turns, last->target_speedup, {}};
    version.trajectories.assign(last->trajectories.begin(),
                                last->trajectories.begin() + static_cast<std::ptrdiff_t>(planned));
    PTXBATCH_RETURN_IF_ERROR(read_text(texts, row.text, version.text));
    versions.push_back({row.record, std::move(version)});
  }
  return versions;
}

using Streams = std::vector<std::unique_ptr<RecordStream>>;

Result<Streams> open_streams(const ResultsInput& file, TextReader& texts, TurnSource& turns) {
  Streams streams;
  const auto add = [&streams](Result<std::unique_ptr<RecordStream>> stream) -> Status {
    if (!stream) return fail(stream.error());
    streams.push_back(std::move(*stream));
    return {};
  };
  const auto with_texts = [&texts](auto make_record) {
    return [&texts, make_record](const auto& row) { return make_record(texts, row); };
  };
  PTXBATCH_RETURN_IF_ERROR(add(TableStream<EnvironmentRow>::open(
      file, schema::kEnvironment,
      [](const EnvironmentRow& row) -> Result<Record> { return row.environment; })));
  PTXBATCH_RETURN_IF_ERROR(
      add(TableStream<PromptRow>::open(file, schema::kPrompts, with_texts(prompt_of))));
  // Files from before there were requests have no such table.
  if (has_dataset(file.id(), schema::kRequests)) {
    PTXBATCH_RETURN_IF_ERROR(
        add(TableStream<RequestRow>::open(file, schema::kRequests, request_of)));
  }
  PTXBATCH_RETURN_IF_ERROR(
      add(TableStream<ReplyRow>::open(file, schema::kReplies, with_texts(reply_of))));
  PTXBATCH_RETURN_IF_ERROR(add(TableStream<TurnDetailRow>::open(
      file, schema::kTurnDetails,
      [&turns](const TurnDetailRow& row) { return turns.turn_of(row); })));
  PTXBATCH_RETURN_IF_ERROR(
      add(TableStream<TrajectoryEndRow>::open(file, schema::kTrajectoryEnds, with_texts(end_of))));
  PTXBATCH_RETURN_IF_ERROR(
      add(TableStream<EventRow>::open(file, schema::kEvents, with_texts(event_of))));
  return streams;
}

RecordStream* earliest(const Streams& streams) {
  RecordStream* first = nullptr;
  for (const auto& stream : streams) {
    const auto number = stream->next_number();
    if (number && (first == nullptr || *number < *first->next_number())) first = stream.get();
  }
  return first;
}

}  // namespace

Status read_results_file(const std::string& path, const std::function<Status(Record&&)>& visit) {
  const auto file = ResultsInput::open(path);
  if (!file) return fail(file.error());
  auto texts = TextReader::open(file->id(), path);
  if (!texts) return fail(texts.error());
  auto versions = read_versions(*file, *texts);
  if (!versions) return fail(versions.error());
  PTXBATCH_RETURN_IF_ERROR(visit(std::move(versions->front().experiment)));
  versions->erase(versions->begin());
  const auto turns = TurnSource::open(*file, *texts);
  if (!turns) return fail(turns.error());
  auto streams = open_streams(*file, *texts, **turns);
  if (!streams) return fail(streams.error());
  streams->push_back(std::make_unique<ExtensionStream>(std::move(*versions)));
  while (RecordStream* stream = earliest(*streams)) {
    auto record = stream->take();
    if (!record) return fail(record.error());
    PTXBATCH_RETURN_IF_ERROR(visit(std::move(*record)));
  }
  return {};
}

Result<ResultsSummary> read_results_summary(const std::string& path) {
  const auto file = ResultsInput::open(path);
  if (!file) return fail(file.error());
  const auto name = file->attribute<std::string>("experiment");
  if (!name) return fail(name.error());
  const auto complete = file->attribute<bool>("complete");
  if (!complete) return fail(complete.error());
  auto text = read_text_dataset(file->id(), path, schema::kExperimentText);
  if (!text) return fail(text.error());
  const auto turns = DatasetReader::open(file->id(), path, schema::kTurns);
  if (!turns) return fail(turns.error());
  return ResultsSummary{*name, std::move(*text), *complete, turns->size()};
}

}  // namespace ptxbatch
