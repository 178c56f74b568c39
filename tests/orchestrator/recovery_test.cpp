// `ptxbatch recover` on journals that are whole, cut and damaged in every byte: what was synced is
// there again, or the report names what is not.
#include "orchestrator/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <vector>

#include "common/hash.h"
#include "orchestrator/run_store.h"
#include "results/journal_frames.h"
#include "results/results_file.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr int kTurns = 2;

ReplyRecord answering(ReplyRecord reply, const PromptRecord& prompt) {
  reply.prompt_sha256 = prompt.sha256;
  return reply;
}

PromptRecord prompt() {
  const std::string text = R"([{"content":"Multiply.","role":"user"}])";
  return {sha256_hex(text), text};
}

// One trajectory that has done its turns and one with a reply that waits to be judged.
std::vector<Record> run_records() {
  return {small_experiment(2, kTurns),
          EventRecord{1, 0, 0, "started", "1 working ranks"},
          prompt(),
          answering(reply_of(0, 0), prompt()),
          turn_of(0, 0),
          answering(reply_of(1, 0), prompt()),
          answering(reply_of(0, 1), prompt()),
          turn_of(0, 1, Label::kRuntimeError),
          TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""},
          EventRecord{2, 0, 0, "stopped", "before all trajectories had ended"}};
}

class RecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    write_journal(run_records());
    whole_ = read_text(journal_).value();
  }

  void write_journal(const std::vector<Record>& records) {
    auto writer = JournalWriter::open(files_, journal_, 0);
    ASSERT_TRUE(writer);
    offsets_.clear();
    for (const Record& record : records) {
      offsets_.push_back(writer->size_bytes());
      ASSERT_TRUE(writer->append(record));
    }
    ASSERT_TRUE(writer->sync());
    offsets_.push_back(writer->size_bytes());
  }
  void write_results(const std::vector<Record>& records) {
    const RecordSource source = [&](const std::function<Status(Record &&)>& visit) -> Status {
      for (Record record : records) {
        if (auto seen = visit(std::move(record)); !seen) return seen;
      }
      return {};
    };
    ASSERT_TRUE(write_results_file(files_, path_, source, false));
  }
  [[nodiscard]] std::string flipped(std::size_t at, unsigned bit = 0) const {
    std::string bytes = whole_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1U << bit));
    return bytes;
  }
  void set_journal(const std::string& bytes) { ASSERT_TRUE(write_text(journal_, bytes)); }
  RecoveryReport recover(bool write = true) {
    auto report = recover_results(files_, path_, write);
    if (report) return std::move(*report);
    ADD_FAILURE() << describe(report.error());
    return {};
  }
  [[nodiscard]] std::vector<Record> stored() const {
    std::vector<Record> records;
    EXPECT_TRUE(read_results_file(path_, [&](Record&& record) -> Status {
      records.push_back(std::move(record));
      return {};
    }));
    return records;
  }
  /// Goes on with the run as the same command would, until every turn is done.
  void finish_run() {
    auto opened = RunStore::open(files_, path_, small_experiment(2, kTurns));
    ASSERT_TRUE(opened) << describe(opened.error());
    RunStore& store = **opened;
    ASSERT_TRUE(store.append(EventRecord{3, store.state().sessions(), 0, "resumed", ""}));
    for (int trajectory = 0; trajectory < 2; ++trajectory) {
      const auto& state = store.state().trajectories()[static_cast<std::size_t>(trajectory)];
      while (state.history.size() < kTurns) {
        const int turn = static_cast<int>(state.history.size());
        if (!state.pending_reply) {
          ASSERT_TRUE(store.append(answering(reply_of(trajectory, turn), prompt())));
        }
        ASSERT_TRUE(store.append(turn_of(trajectory, turn)));
      }
      if (!state.end) {
        ASSERT_TRUE(store.append(TrajectoryEndRecord{trajectory, TrajectoryEnd::kTurnsDone, ""}));
      }
    }
    ASSERT_TRUE(store.sync());
    ASSERT_TRUE(store.finish());
    EXPECT_TRUE(store.state().complete());
    EXPECT_EQ(store.state().turns(), 2 * kTurns);
  }

  TestFolder folder_;
  FileSystem& files_ = real_file_system();
  std::string path_ = folder_.file("run.h5");
  std::string journal_ = journal_path(path_);
  std::string whole_;
  std::vector<std::uint64_t> offsets_;
};

TEST_F(RecoveryTest, OfAWholeJournalRebuildsTheResultsFile) {
  const RecoveryReport report = recover();
  EXPECT_TRUE(report.lossless());
  EXPECT_TRUE(report.results_written);
  EXPECT_EQ(report.turns, 2);
  EXPECT_EQ(report.replies, 3);
  EXPECT_EQ(report.prompts, 1U);
  EXPECT_EQ(report.ended, 1U);
  EXPECT_EQ(stored(), run_records());
  EXPECT_EQ(read_text(journal_), whole_) << "the journal of a run that is not complete stays";
  EXPECT_FALSE(files_.exists(lock_path(path_)));
  finish_run();
}

TEST_F(RecoveryTest, ThatOnlyLooksWritesNothing) {
  set_journal(flipped(offsets_[4] + 20));
  const std::string before = read_text(journal_).value();
  EXPECT_FALSE(recover(false).lossless());
  EXPECT_FALSE(files_.exists(path_));
  EXPECT_EQ(read_text(journal_), before);
  EXPECT_FALSE(files_.exists(journal_ + ".damaged-1"));
}

// The last three records, every byte; and then the run goes on to the same end.
TEST_F(RecoveryTest, FromAnyPrefixGivesWhatWasWholeAndReportsTheTail) {
  const std::size_t count = run_records().size();
  for (std::size_t kept = count - 3; kept < count; ++kept) {
    for (std::uint64_t size = offsets_[kept]; size < offsets_[kept + 1]; ++size) {
      set_journal(whole_.substr(0, size));
      const RecoveryReport report = recover(size == offsets_[kept] + 1);
      EXPECT_TRUE(report.lossless()) << "cut at " << size;
      ASSERT_TRUE(report.journal);
      EXPECT_EQ(report.journal->records, kept);
      EXPECT_EQ(report.journal->tail, (ByteRange{offsets_[kept], size}));
      if (report.results_written) {
        EXPECT_EQ(stored().size(), kept);
      }
    }
  }
  finish_run();
}

// Whatever bit flips: never a crash, never a loss that the report does not name.
TEST_F(RecoveryTest, WithABitFlippedAnywhereNamesWhatIsLost) {
  std::minstd_rand random(7);
  const RecoveryReport undamaged = recover(false);
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    set_journal(flipped(at, random() % 8));
    const auto report = recover_results(files_, path_, false);
    const bool in_experiment = at >= kJournalHeaderBytes && at < offsets_[1];
    ASSERT_EQ(report.has_value(), !in_experiment) << "byte " << at;
    if (!report) {
      EXPECT_EQ(report.error().file, journal_);
      EXPECT_THAT(report.error().what, HasSubstr("first record"));
      continue;
    }
    if (at < kJournalHeaderBytes) {
      EXPECT_TRUE(report->journal->header_damaged);
      EXPECT_EQ(report->turns, undamaged.turns) << "byte " << at;
      continue;
    }
    const std::uint64_t last = offsets_[run_records().size() - 1];
    const bool in_last = at >= last;
    // A longer length than was written looks like a record that was cut.
    const bool in_last_length = at >= last + 4 && at < last + 8;
    ASSERT_TRUE(!report->lossless() || in_last_length) << "byte " << at;
    if (in_last) {
      EXPECT_EQ(report->journal->tail, (ByteRange{last, whole_.size()}));
    }
    ASSERT_EQ(report->lost.empty(), in_last) << "byte " << at;
    if (!in_last) {
      EXPECT_LE(report->lost[0].begin, at);
      EXPECT_GT(report->lost[0].end, at);
    }
  }
}

// One flip in each record: the damaged file stays as it was under another name, and the same
// command does again what is lost and nothing else.
TEST_F(RecoveryTest, OfADamagedMiddleKeepsTheFileAsideAndTheRunGoesOn) {
  const std::size_t count = run_records().size();
  for (std::size_t hit = 1; hit < count; ++hit) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(""))) {
      std::filesystem::remove(entry.path());
    }
    const std::string damaged = flipped(offsets_[hit] + kFrameHeaderBytes + 3, 4);
    set_journal(damaged);
    const RecoveryReport report = recover();
    EXPECT_FALSE(report.lossless());
    EXPECT_EQ(report.journal_kept_as, journal_ + ".damaged-1");
    EXPECT_EQ(read_text(report.journal_kept_as), damaged) << "record " << hit;
    finish_run();
  }
}

TEST_F(RecoveryTest, LeavesOutWhatNeedsALostRecordAndSaysSo) {
  set_journal(flipped(offsets_[4] + 20));  // the first turn of trajectory 0
  const RecoveryReport report = recover();
  EXPECT_EQ(report.lost, (std::vector<ByteRange>{{offsets_[4], offsets_[5]}}));
  ASSERT_EQ(report.left_out.size(), 3U) << "its second reply, its second turn, its end";
  EXPECT_EQ(report.left_out[0].offset, offsets_[6]);
  EXPECT_EQ(report.left_out[1].offset, offsets_[7]);
  EXPECT_EQ(report.left_out[2].offset, offsets_[8]);
  EXPECT_THAT(report.left_out[2].why, HasSubstr("0 of 2 turns"));
  EXPECT_EQ(report.turns, 0);
  EXPECT_EQ(report.replies, 2);
  const auto records = stored();
  const bool told = std::any_of(records.begin(), records.end(), [](const Record& record) {
    const auto* event = std::get_if<EventRecord>(&record);
    return event != nullptr && event->kind == "recovered";
  });
  EXPECT_TRUE(told) << "readers of the results must know";
}

TEST_F(RecoveryTest, DoubtsARepliesPromptThatIsLost) {
  set_journal(flipped(offsets_[2] + 20));
  const RecoveryReport report = recover();
  EXPECT_TRUE(report.left_out.empty());
  ASSERT_EQ(report.doubts.size(), 1U);
  EXPECT_THAT(report.doubts[0], HasSubstr(prompt().sha256));
}

TEST_F(RecoveryTest, FillsInFromTheResultsFileWhatTheJournalLost) {
  const auto records = run_records();
  write_results({records.begin(), records.begin() + 7});
  set_journal(flipped(offsets_[4] + 20));
  const RecoveryReport report = recover();
  EXPECT_TRUE(report.lossless()) << "the checkpoint holds what the damage hit";
  EXPECT_EQ(report.from_results, 1U);
  EXPECT_EQ(report.turns, 2);
  EXPECT_EQ(stored(), records);
  finish_run();
}

TEST_F(RecoveryTest, RestoresEvenTheExperimentFromTheResultsFile) {
  const auto records = run_records();
  write_results({records.begin(), records.begin() + 4});
  set_journal(flipped(offsets_[0] + 40));
  EXPECT_TRUE(recover().lossless());
  EXPECT_EQ(stored(), records);
}

TEST_F(RecoveryTest, NeverMakesAGoodResultsFileWorse) {
  const auto records = run_records();
  write_results(records);
  set_journal(whole_.substr(0, offsets_[5]));  // an older copy
  EXPECT_TRUE(recover().lossless());
  EXPECT_EQ(stored(), records);
}

TEST_F(RecoveryTest, ReplacesADamagedResultsFileAndKeepsItAside) {
  ASSERT_TRUE(write_text(path_, "no HDF5"));
  const RecoveryReport report = recover();
  EXPECT_TRUE(report.lossless());
  EXPECT_EQ(read_text(report.results_kept_as), "no HDF5");
  EXPECT_EQ(stored(), run_records());
}

TEST_F(RecoveryTest, RefusesAJournalBesideAnotherRunsResults) {
  auto other = run_records();
  std::get<ExperimentRecord>(other[0]).started_at_s = 99;
  write_results({other[0]});
  const auto report = recover_results(files_, path_, true);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(RecoveryTest, RefusesWhileTheRunIsBeingWritten) {
  const auto lock = RunLock::acquire(files_, lock_path(path_));
  ASSERT_TRUE(lock);
  const auto report = recover_results(files_, path_, true);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kConflict);
  EXPECT_FALSE(files_.exists(path_));
  const auto look = recover_results(files_, path_, false);
  EXPECT_TRUE(look) << describe(look.error());
}

TEST_F(RecoveryTest, OfAResultsFileWithoutAJournalOnlyChecksIt) {
  write_results(run_records());
  ASSERT_TRUE(files_.remove(journal_));
  const RecoveryReport report = recover();
  EXPECT_TRUE(report.lossless());
  EXPECT_FALSE(report.results_written);
  EXPECT_EQ(report.turns, 2);
}

TEST_F(RecoveryTest, OfNothingIsAnError) {
  ASSERT_TRUE(files_.remove(journal_));
  const auto report = recover_results(files_, path_, true);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().file, path_);
}

}  // namespace
}  // namespace ptxbatch
