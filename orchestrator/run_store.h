// The files of one run and the rules between them: NAME.h5.lock (one writer), NAME.h5.journal (the
// truth while the run is active) and NAME.h5 (what users see). Opening finds out whether the run is
// new, to be resumed, or complete.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/file_system.h"
#include "orchestrator/run_state.h"
#include "ranks/coordination.h"
#include "results/journal.h"
#include "results/run_files.h"
#include "results/run_lock.h"

namespace ptxbatch {

/// Reads a run's records, from the journal when there is one, else from the results file.
Result<RunState> read_run_state(const std::string& results_path);

class RunStore {
 public:
  /// Takes the lock and opens or creates the run. An experiment that only adds to the stored one
  /// or is operated in another way (experiment_extension.h) is taken up. kConflict, with the
  /// difference, when the files belong to another experiment; nothing is changed then.
  static Result<std::unique_ptr<RunStore>> open(FileSystem& files, const std::string& results_path,
                                                const ExperimentRecord& wanted);

  [[nodiscard]] const std::string& results_path() const { return results_path_; }
  [[nodiscard]] const RunState& state() const { return state_; }
  /// The assignment of a trajectory from where it stands, its texts read from the journal.
  [[nodiscard]] Result<Assignment> assignment(std::int32_t index) const;
  [[nodiscard]] bool resumed() const { return resumed_; }
  /// What the experiment has more than before, for people; mostly empty.
  [[nodiscard]] const std::vector<std::string>& extended() const { return extended_; }
  /// Keys of how it is operated that are others than before.
  [[nodiscard]] const std::vector<std::string>& changed() const { return changed_; }
  [[nodiscard]] std::uint64_t torn_bytes() const { return torn_bytes_; }
  /// Turns that are on disk.
  [[nodiscard]] std::int64_t safe_turns() const { return safe_turns_; }

  /// Checks the record against the state, then appends it. It counts once sync() has returned.
  Status append(const Record& record);
  Status sync();

  /// Writes NAME.h5 from the journal, as of a run that goes on. May run beside append() and sync()
  /// on a thread of its own; gives up, and leaves the file as it was, once `abandon` is set.
  Status checkpoint(const std::atomic<bool>& abandon) const;
  /// Writes NAME.h5 and, when the run is complete, removes the journal: NAME.h5 holds everything.
  Status finish();

 private:
  RunStore(FileSystem& files, std::string results_path, std::unique_ptr<RunLock> lock)
      : files_(files), results_path_(std::move(results_path)), lock_(std::move(lock)) {}
  Status open_journal(const ExperimentRecord& wanted);
  Status begin(const ExperimentRecord& experiment);
  Status begin_version(const ExperimentRecord& experiment);
  Status open_behind(std::uint64_t good_bytes);
  /// Returns how many of its bytes are good.
  Result<std::uint64_t> load_journal();
  Status write_journal_from_results();
  /// `expected_bytes`: what the journal must hold, all of it good; any is taken without it.
  Status write_results(bool complete, const std::atomic<bool>& abandon,
                       std::optional<std::uint64_t> expected_bytes = std::nullopt) const;

  FileSystem& files_;
  std::string results_path_;
  std::unique_ptr<RunLock> lock_;
  std::optional<JournalWriter> journal_;
  RunState state_;
  bool resumed_ = false;
  std::vector<std::string> extended_;
  std::vector<std::string> changed_;
  std::uint64_t torn_bytes_ = 0;
  std::int64_t safe_turns_ = 0;
};

}  // namespace ptxbatch
