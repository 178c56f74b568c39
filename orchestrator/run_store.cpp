#include "orchestrator/run_store.h"

#include "orchestrator/text_diff.h"
#include "results/results_file.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kDiffLines = 20;

}  // namespace

std::string journal_path(const std::string& results_path) {
  return results_path + ".journal";
}
std::string lock_path(const std::string& results_path) {
  return results_path + ".lock";
}

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

Status RunStore::open_journal(const ExperimentRecord& wanted) {
  if (files_.exists(journal_path(results_path_))) {
    if (auto loaded = load_journal(); !loaded) return loaded;
  }
  if (!state_.experiment() && files_.exists(results_path_)) {
    if (auto seeded = seed_journal_from_results(); !seeded) return seeded;
  }
  if (state_.experiment()) {
    resumed_ = true;
    return check_same_experiment(wanted);
  }
  auto journal = JournalWriter::open(files_, journal_path(results_path_), 0);
  if (!journal) return fail(journal.error());
  journal_.emplace(std::move(*journal));
  if (auto appended = append(wanted); !appended) return appended;
  return sync();
}

Status RunStore::load_journal() {
  auto scan = read_journal_with_places(
      journal_path(results_path_),
      [this](Record&& record, JournalPlace place) { return state_.apply(record, place); });
  if (!scan) return fail(scan.error());
  torn_bytes_ = scan->torn_bytes;
  if (!state_.experiment()) return {};
  auto journal = JournalWriter::open(files_, journal_path(results_path_), scan->good_bytes);
  if (!journal) return fail(journal.error());
  journal_.emplace(std::move(*journal));
  return {};
}

// A results file without a journal: complete, or a copy of a run that was still going on. The
// journal is made again only when there is work left to record.
Status RunStore::seed_journal_from_results() {
  auto read =
      read_results_file(results_path_, [this](Record&& record) { return state_.apply(record); });
  if (!read) return read;
  if (state_.complete() && state_.failed() == 0) return {};
  const std::string path = journal_path(results_path_);
  const std::string draft = path + ".new";
  if (files_.exists(draft)) {
    if (auto removed = files_.remove(draft); !removed) return removed;
  }
  {
    auto journal = JournalWriter::open(files_, draft, 0);
    if (!journal) return fail(journal.error());
    read =
        read_results_file(results_path_, [&](Record&& record) { return journal->append(record); });
    if (!read) return read;
    if (auto synced = journal->sync(); !synced) return synced;
  }
  if (auto renamed = files_.replace(draft, path); !renamed) return renamed;
  state_ = RunState();
  return load_journal();
}

Status RunStore::check_same_experiment(const ExperimentRecord& wanted) const {
  const ExperimentRecord& stored = *state_.experiment();
  Error error;
  error.kind = ErrorKind::kConflict;
  error.file = results_path_;
  error.hint = "Give another output with -o, or the experiment file as it was.";
  if (stored.text != wanted.text) {
    error.what = "this output belongs to another experiment ('" + stored.name +
                 "'); stored (-) against given (+):\n" +
                 line_diff(stored.text, wanted.text, kDiffLines);
    return fail(std::move(error));
  }
  if (stored.trajectories != wanted.trajectories) {
    error.what = "this output was begun with the same experiment file but other problem files";
    return fail(std::move(error));
  }
  return {};
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
  if (state.pending_reply) assignment.pending_reply = std::get<ReplyRecord>(records->back());
  return assignment;
}

Status RunStore::sync() {
  return journal_->sync();
}

Status RunStore::checkpoint(const std::atomic<bool>& abandon) const {
  return write_results(false, abandon);
}

// A record that is being appended meanwhile looks like a torn tail and is left out.
Status RunStore::write_results(bool complete, const std::atomic<bool>& abandon) const {
  const RecordSource source = [&](const std::function<Status(Record &&)>& visit) -> Status {
    const auto visit_unless_abandoned = [&](Record&& record) -> Status {
      if (abandon) return fail(ErrorKind::kConflict, "the checkpoint is not needed any more");
      return visit(std::move(record));
    };
    auto scan = read_journal(journal_path(results_path_), visit_unless_abandoned);
    if (!scan) return fail(scan.error());
    return {};
  };
  return write_results_file(files_, results_path_, source, complete);
}

Status RunStore::finish() {
  if (!journal_) return {};
  const std::atomic<bool> abandon = false;
  if (auto written = write_results(state_.complete(), abandon); !written) return written;
  if (!state_.complete()) return {};
  journal_.reset();
  return files_.remove(journal_path(results_path_));
}

}  // namespace ptxbatch
