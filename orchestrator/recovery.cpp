#include "orchestrator/recovery.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

#include "common/clock.h"
#include "orchestrator/record_check.h"
#include "orchestrator/run_store.h"
#include "results/kept_aside.h"
#include "results/record_fingerprint.h"
#include "results/results_file.h"
#include "results/run_files.h"

namespace ptxbatch {
namespace {

Error input_error(const std::string& path, std::string what, std::string hint) {
  return Error{ErrorKind::kInput, std::move(what), std::move(hint), path, 0, 0, {}};
}

class Recovery {
 public:
  Recovery(FileSystem& files, std::string results)
      : files_(files), results_(std::move(results)), journal_(journal_path(results_)) {}

  Result<RecoveryReport> run(bool write) {
    if (auto looked = look_at_results(); !looked) return fail(looked.error());
    if (auto looked = look_at_journal(); !looked) return fail(looked.error());
    if (auto replayed = replay_and_report(); !replayed) return fail(replayed.error());
    if (write && report_.journal) {
      if (must_rewrite_journal()) {
        if (auto written = write_journal(); !written) return fail(written.error());
      }
      if (auto written = write_results(); !written) return fail(written.error());
    }
    return std::move(report_);
  }

 private:
  using Visit = std::function<Status(const Record&)>;

  Status look_at_results() {
    if (!files_.exists(results_)) return {};
    const Status read = read_results_file(results_, [&](Record&& record) -> Status {
      in_results_.insert(fingerprint(record));
      return {};
    });
    report_.has_results = read.has_value();
    if (read) return {};
    report_.results_damage = describe(read.error());
    in_results_.clear();
    return {};
  }

  // Which of the results file's records the journal has lost, if any.
  Status look_at_journal() {
    if (!files_.exists(journal_)) {
      if (report_.has_results) return {};
      return fail(nothing_there());
    }
    Fingerprints only_in_results = in_results_;
    bool has_experiment = false;
    const SalvageVisitor visitor{
        [&](std::uint64_t /*offset*/, Result<Record>&& record) -> Status {
          if (!record) return {};
          only_in_results.erase(fingerprint(*record));
          has_experiment = has_experiment || std::holds_alternative<ExperimentRecord>(*record);
          return {};
        },
        [](ByteRange /*damaged*/) -> Status { return {}; }};
    auto salvage = salvage_journal(journal_, visitor);
    if (!salvage) return fail(salvage.error());
    report_.journal = std::move(*salvage);
    report_.from_results = only_in_results.size();
    const bool in_common = only_in_results.size() < in_results_.size();
    if (report_.has_results && report_.journal->records > 0 && !in_common) {
      Error error =
          input_error(results_,
                      "the results file and the journal beside it have not one "
                      "record in common: they are of different runs",
                      "Move the one that does not belong here away. Nothing was changed.");
      error.kind = ErrorKind::kConflict;
      return fail(std::move(error));
    }
    if (!has_experiment && !report_.has_results) {
      return fail(input_error(journal_,
                              "the journal's first record, which says what experiment this "
                              "is, is not readable: nothing can be rebuilt without it",
                              "If there is a copy of " + results_ +
                                  " from any time of the run, put it in place and recover again. "
                                  "Nothing was changed."));
    }
    return {};
  }

  [[nodiscard]] Error nothing_there() const {
    if (!report_.results_damage.empty()) {
      return input_error(results_,
                         "the results file is damaged and there is no journal to rebuild it "
                         "from: " +
                             report_.results_damage,
                         "Restore it from a copy.");
    }
    return input_error(results_, "there is neither a results file nor a journal of this name",
                       "Give the path that was given to 'ptxbatch run -o'.");
  }

  [[nodiscard]] bool starts_from_results() const {
    return !report_.journal || report_.from_results > 0;
  }

  /// All records that are good and hang together, in their order. The same at each call.
  Status replay(RecordCheck& check, RecoveryReport& findings, const Visit& visit) {
    const auto put = [&](const Record& record, std::optional<std::uint64_t> offset) -> Status {
      if (auto why = check.take(record)) {
        findings.left_out.push_back({offset, std::move(*why)});
        return {};
      }
      return visit(record);
    };
    if (starts_from_results()) {
      auto read =
          read_results_file(results_, [&](Record&& record) { return put(record, std::nullopt); });
      if (!read) return read;
    }
    if (!report_.journal) return {};
    std::vector<ByteRange> crossed;  // since the last record that the results file holds as well
    const auto take = [&](std::uint64_t offset, Result<Record>&& record) -> Status {
      if (!record) {
        findings.left_out.push_back({offset, describe(record.error())});
        return {};
      }
      if (starts_from_results() && in_results_.contains(fingerprint(*record))) {
        crossed.clear();  // the results file holds all that stood before this record
        return {};
      }
      for (const ByteRange& range : std::exchange(crossed, {})) {
        findings.lost.push_back(range);
        check.something_is_lost();
        if (auto told = put(loss_event(range, check.state()), offset); !told) return told;
      }
      return put(*record, offset);
    };
    const auto cross = [&](ByteRange range) -> Status {
      crossed.push_back(range);
      return {};
    };
    auto salvage = salvage_journal(journal_, {take, cross});
    if (!salvage) return fail(salvage.error());
    return {};
  }

  // Stored with the run, so that its readers know.
  EventRecord loss_event(const ByteRange& range, const RunState& state) const {
    return {now_s_, std::max(0, state.sessions() - 1), 0, "recovered",
            fmt::format("the journal was damaged from byte {} to {}; what stood there is lost",
                        range.begin, range.end)};
  }

  Status replay_and_report() {
    RecordCheck check;
    auto replayed = replay(check, report_, [](const Record& /*record*/) -> Status { return {}; });
    if (!replayed) return replayed;
    const RunState& state = check.state();
    if (!state.experiment()) {
      return fail(input_error(journal_, "the journal holds no record yet", "Run the experiment."));
    }
    report_.doubts = check.doubts();
    report_.trajectories = state.trajectories().size();
    report_.ended = state.ended();
    report_.failed = state.failed();
    report_.turns = state.turns();
    report_.replies = check.replies();
    report_.prompts = state.prompts();
    report_.complete = state.complete();
    return {};
  }

  [[nodiscard]] bool must_rewrite_journal() const {
    const JournalSalvage& journal = *report_.journal;
    return !journal.damaged.empty() || journal.header_damaged || journal.tail_may_be_damage ||
           !report_.left_out.empty() || report_.from_results > 0;
  }

  Status write_journal() {
    const std::string draft = journal_ + ".new";
    if (files_.exists(draft)) {
      if (auto removed = files_.remove(draft); !removed) return removed;
    }
    auto writer = JournalWriter::open(files_, draft, 0);
    if (!writer) return fail(writer.error());
    RecordCheck check;
    RecoveryReport again;
    auto written =
        replay(check, again, [&](const Record& record) { return writer->append(record); });
    if (written) written = writer->sync();
    if (!written) {
      static_cast<void>(files_.remove(draft));
      return written;
    }
    auto kept = keep_aside(journal_);
    if (!kept) return fail(kept.error());
    report_.journal_kept_as = std::move(*kept);
    if (auto replaced = files_.replace(draft, journal_); !replaced) return replaced;
    report_.journal_written = true;
    return {};
  }

  Status write_results() {
    const std::string draft = results_ + ".recovered";
    std::vector<Fingerprint> stored;
    const RecordSource source = [&](const std::function<Status(Record &&)>& visit) -> Status {
      auto scan = read_journal(journal_, [&](Record&& record) -> Status {
        stored.push_back(fingerprint(record));
        return visit(std::move(record));
      });
      if (!scan) return fail(scan.error());
      return {};
    };
    auto written = write_results_file(files_, draft, source, report_.complete);
    if (written) written = read_back(draft, stored);
    if (written && !report_.results_damage.empty()) {
      auto kept = keep_aside(results_);
      if (kept) report_.results_kept_as = std::move(*kept);
      if (!kept) written = fail(kept.error());
    }
    if (written) written = files_.replace(draft, results_);
    if (!written) static_cast<void>(files_.remove(draft));
    report_.results_written = written.has_value();
    return written;
  }

  static Status read_back(const std::string& path, const std::vector<Fingerprint>& wanted) {
    std::size_t position = 0;
    bool same = true;
    auto read = read_results_file(path, [&](Record&& record) -> Status {
      same = same && position < wanted.size() && fingerprint(record) == wanted[position];
      ++position;
      return {};
    });
    if (!read) return read;
    if (same && position == wanted.size()) return {};
    return fail(Error{ErrorKind::kInternal,
                      fmt::format("the written results file does not give back what the journal "
                                  "holds (record {} of {})",
                                  position, wanted.size()),
                      "The old files are as they were. Check the disk and report this.",
                      path,
                      0,
                      0,
                      {}});
  }

  FileSystem& files_;
  std::string results_;
  std::string journal_;
  Fingerprints in_results_;
  RecoveryReport report_;
  double now_s_ = unix_time_s();
};

}  // namespace

bool RecoveryReport::lossless() const {
  const bool tail_is_torn = !journal || !journal->tail_may_be_damage;
  return lost.empty() && left_out.empty() && doubts.empty() && tail_is_torn;
}

Result<RecoveryReport> recover_results(FileSystem& files, const std::string& results_path,
                                       bool write) {
  if (auto mistaken = mistaken_for_results(results_path)) return fail(std::move(*mistaken));
  std::unique_ptr<RunLock> lock;
  if (write) {
    auto acquired = RunLock::acquire(files, lock_path(results_path));
    if (!acquired) return fail(acquired.error());
    lock = std::move(*acquired);
  }
  return Recovery(files, results_path).run(write);
}

}  // namespace ptxbatch
