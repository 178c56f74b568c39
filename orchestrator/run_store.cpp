#include "orchestrator/run_store.h"

#include <fmt/format.h>

#include "orchestrator/experiment_extension.h"
#include "results/results_file.h"

namespace ptxbatch {

namespace {

Error damaged_tail(const std::string& results_path, const JournalScan& scan) {
  return {ErrorKind::kInput,
          fmt::format("from byte {} on the journal ends in {} bytes that are no unfinished append: "
                      "a record that was safe on disk may be among them",
                      scan.good_bytes, scan.torn_bytes),
          fmt::format("'ptxbatch recover {0}' keeps them aside and takes from {0} what it still "
                      "holds; the same run goes on after it.",
                      results_path),
          journal_path(results_path),
          0,
          0,
          {}};
}

Error unreadable_end(const std::string& results_path, const JournalScan& scan,
                     std::uint64_t expected_bytes) {
  return {ErrorKind::kSystem,
          fmt::format("only {} of its {} bytes can be read back; it is kept, and the results file "
                      "is as it was",
                      scan.good_bytes, expected_bytes),
          "Look for errors of this disk, then run the same command again.",
          journal_path(results_path),
          0,
          0,
          {}};
}

}  // namespace

Result<RunState> read_run_state(const std::string& results_path) {
  RunState state;
  const auto visit = [&](Record&& record) { return state.apply(record); };
  FileSystem& files = real_file_system();
  if (files.exists(journal_path(results_path))) {
    auto scan = read_journal(journal_path(results_path), visit);
    if (!scan) return fail(scan.error());
    if (state.experiment()) return state;
  }
  if (!files.exists(results_path)) {
    Error error{ErrorKind::kInput,
                "there is neither a results file nor a journal of this name",
                "Give the path that was given to 'ptxbatch run -o'.",
                results_path,
                0,
                0,
                {}};
    return fail(std::move(error));
  }
  if (auto read = read_results_file(results_path, visit); !read) return fail(read.error());
  return state;
}

Result<std::unique_ptr<RunStore>> RunStore::open(FileSystem& files, const std::string& results_path,
                                                 const ExperimentRecord& wanted) {
  auto lock = RunLock::acquire(files, lock_path(results_path));
  if (!lock) return fail(lock.error());
  std::unique_ptr<RunStore> store(new RunStore(files, results_path, std::move(*lock)));
  if (auto opened = store->open_journal(wanted); !opened) return fail(opened.error());
  return store;
}

// Nothing is written before it is known that the experiment fits.
Status RunStore::open_journal(const ExperimentRecord& wanted) {
  std::uint64_t good_bytes = 0;
  if (files_.exists(journal_path(results_path_))) {
    auto loaded = load_journal();
    if (!loaded) return fail(loaded.error());
    if (state_.experiment()) good_bytes = *loaded;
  }
  const bool from_results = !state_.experiment() && files_.exists(results_path_);
  if (from_results) {
    auto read =
        read_results_file(results_path_, [this](Record&& record) { return state_.apply(record); });
    if (!read) return read;
    safe_turns_ = state_.turns();
  }
  if (!state_.experiment()) return begin(wanted);
  resumed_ = true;
  auto extension = extend_experiment(*state_.experiment(), wanted);
  if (!extension) {
    extension.error().file = results_path_;
    return fail(extension.error());
  }
  const bool is_done = state_.complete() && state_.failed() == 0 && extension->added.empty();
  if (from_results && is_done) return {};
  if (auto opened = from_results ? write_journal_from_results() : open_behind(good_bytes);
      !opened) {
    return opened;
  }
  if (extension->added.empty() && extension->changed.empty()) return {};
  extended_ = std::move(extension->added);
  changed_ = std::move(extension->changed);
  return begin_version(extension->experiment);
}

Status RunStore::begin(const ExperimentRecord& experiment) {
  if (auto opened = open_behind(0); !opened) return opened;
  return begin_version(experiment);
}

Status RunStore::begin_version(const ExperimentRecord& experiment) {
  if (auto appended = append(experiment); !appended) return appended;
  return sync();
}

Status RunStore::open_behind(std::uint64_t good_bytes) {
  auto journal = JournalWriter::open(files_, journal_path(results_path_), good_bytes);
  if (!journal) return fail(journal.error());
  journal_.emplace(std::move(*journal));
  return {};
}

Result<std::uint64_t> RunStore::load_journal() {
  auto scan = read_journal_with_places(
      journal_path(results_path_),
      [this](Record&& record, JournalPlace place) { return state_.apply(record, place); });
  if (!scan) return fail(scan.error());
  if (scan->tail_may_be_damage) return fail(damaged_tail(results_path_, *scan));
  torn_bytes_ = scan->torn_bytes;
  safe_turns_ = state_.turns();
  return scan->good_bytes;
}

// A results file without a journal: complete, or a copy of a run that was still going on. The
// journal is made again when there is work left to record.
Status RunStore::write_journal_from_results() {
  const std::string path = journal_path(results_path_);
  const std::string draft = path + ".new";
  if (files_.exists(draft)) {
    if (auto removed = files_.remove(draft); !removed) return removed;
  }
  {
    auto journal = JournalWriter::open(files_, draft, 0);
    if (!journal) return fail(journal.error());
    auto read =
        read_results_file(results_path_, [&](Record&& record) { return journal->append(record); });
    if (!read) return read;
    if (auto synced = journal->sync(); !synced) return synced;
  }
  if (auto renamed = files_.replace(draft, path); !renamed) return renamed;
  state_ = RunState();  // with the records' places in the new journal
  auto loaded = load_journal();
  if (!loaded) return fail(loaded.error());
  return open_behind(*loaded);
}

Status RunStore::append(const Record& record) {
  if (auto applied = state_.apply(record, journal_->size_bytes()); !applied) return applied;
  return journal_->append(record);
}

Result<Assignment> RunStore::assignment(std::int32_t index) const {
  const auto position = static_cast<std::size_t>(index);
  const TrajectoryState& state = state_.trajectories().at(position);
  std::vector<JournalPlace> places;
  for (const TurnPlaces& turn : state.history) {
    places.push_back(turn.reply);
    places.push_back(turn.turn);
  }
  if (state.pending_reply) places.push_back(*state.pending_reply);
  if (state.prompt) places.push_back(*state.prompt);
  auto records = read_journal_records(journal_path(results_path_), places);
  if (!records) return fail(records.error());
  Assignment assignment;
  assignment.trajectory = state_.experiment()->trajectories.at(position);
  for (std::size_t i = 0; i < state.history.size(); ++i) {
    auto& reply = std::get<ReplyRecord>(records->at(2 * i));
    auto& turn = std::get<TurnRecord>(records->at(2 * i + 1));
    assignment.history.push_back(
        {std::move(reply.text), std::move(turn.feedback), reply.prompt_tokens});
  }
  if (state.prompt) {
    assignment.prompt = std::get<PromptRecord>(std::move(records->back()));
    records->pop_back();
  }
  if (state.pending_reply) assignment.pending_reply = std::get<ReplyRecord>(records->back());
  return assignment;
}

Status RunStore::sync() {
  if (auto synced = journal_->sync(); !synced) return synced;
  safe_turns_ = state_.turns();
  return {};
}

Status RunStore::checkpoint(const std::atomic<bool>& abandon) const {
  return write_results(false, abandon);
}

// A record that is being appended meanwhile looks like a torn tail and is left out.
Status RunStore::write_results(bool complete, const std::atomic<bool>& abandon,
                               std::optional<std::uint64_t> expected_bytes) const {
  const RecordSource source = [&](const std::function<Status(Record &&)>& visit) -> Status {
    const auto visit_unless_abandoned = [&](Record&& record) -> Status {
      if (abandon) return fail(ErrorKind::kConflict, "the checkpoint is not needed any more");
      return visit(std::move(record));
    };
    auto scan = read_journal(journal_path(results_path_), visit_unless_abandoned);
    if (!scan) return fail(scan.error());
    if (expected_bytes && scan->good_bytes != *expected_bytes) {
      return fail(unreadable_end(results_path_, *scan, *expected_bytes));
    }
    return {};
  };
  return write_results_file(files_, results_path_, source, complete);
}

Status RunStore::finish() {
  if (!journal_) return {};
  const std::atomic<bool> abandon = false;
  auto written = write_results(state_.complete(), abandon, journal_->size_bytes());
  if (!written) return written;
  if (!state_.complete()) return {};
  journal_.reset();
  return files_.remove(journal_path(results_path_));
}

}  // namespace ptxbatch
