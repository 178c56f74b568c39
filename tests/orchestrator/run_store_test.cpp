// The files of a run: new, resumed, complete, another experiment's, held by another writer.
#include "orchestrator/run_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "results/results_file.h"
#include "tests/orchestrator/opened_run.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/failing_file_system.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

class RunStoreTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<RunStore> open(const ExperimentRecord& experiment) {
    return open_run(path_, experiment);
  }
  static void do_turn(RunStore& store, int trajectory, int turn) {
    ASSERT_TRUE(store.append(reply_of(trajectory, turn)));
    ASSERT_TRUE(store.append(turn_of(trajectory, turn)));
    ASSERT_TRUE(store.sync());
  }

  static void flip_last_byte(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-1, std::ios::end);
    const int last = file.get();
    file.seekp(-1, std::ios::end);
    file.put(static_cast<char>(last ^ 1));
  }

  FileSystem& files_ = real_file_system();
  std::string folder_ = testing::TempDir() + "/run_store_test_" + std::to_string(::getpid());
  std::string path_ = folder_ + "/run.h5";
};

TEST_F(RunStoreTest, OpeningAgainGoesOnFromTheLastRecord) {
  {
    auto store = open(small_experiment(1, 2));
    EXPECT_FALSE(store->resumed());
    do_turn(*store, 0, 0);
  }
  auto store = open(small_experiment(1, 2));
  EXPECT_TRUE(store->resumed());
  EXPECT_EQ(store->state().turns(), 1);
  do_turn(*store, 0, 1);
}

TEST_F(RunStoreTest, ACompleteRunKeepsOnlyItsResultsFile) {
  {
    auto store = open(small_experiment(1, 1));
    do_turn(*store, 0, 0);
    ASSERT_TRUE(store->append(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
    ASSERT_TRUE(store->finish());
  }
  EXPECT_TRUE(files_.exists(path_));
  EXPECT_FALSE(files_.exists(journal_path(path_)));
  EXPECT_FALSE(files_.exists(lock_path(path_)));
  auto store = open(small_experiment(1, 1));
  EXPECT_TRUE(store->state().complete());
  EXPECT_EQ(store->state().turns(), 1);
}

TEST_F(RunStoreTest, FailedTrajectoriesAreTakenUpFromTheResultsFileAlone) {
  {
    auto store = open(small_experiment(2, 1));
    do_turn(*store, 0, 0);
    ASSERT_TRUE(store->append(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
    ASSERT_TRUE(store->append(TrajectoryEndRecord{1, TrajectoryEnd::kFailed, "no reply"}));
    ASSERT_TRUE(store->finish());
  }
  {
    auto store = open(small_experiment(2, 1));
    ASSERT_TRUE(store->append(EventRecord{0, 1, 0, "resumed", ""}));
    do_turn(*store, 1, 0);
    ASSERT_TRUE(store->append(TrajectoryEndRecord{1, TrajectoryEnd::kTurnsDone, ""}));
    ASSERT_TRUE(store->finish());
  }
  auto summary = read_results_summary(path_);
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->complete);
  EXPECT_EQ(summary->turns, 2);
}

TEST_F(RunStoreTest, AnotherExperimentsOutputIsRefusedWithTheDifference) {
  open(small_experiment(1, 1)).reset();
  const auto size_before = *files_.size_bytes(journal_path(path_));
  ExperimentRecord other = small_experiment(1, 1);
  other.text = "name = \"other\"\n";
  const auto refused = RunStore::open(files_, path_, other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_THAT(refused.error().what, HasSubstr("- name = \"small\"\n+ name = \"other\""));
  EXPECT_EQ(*files_.size_bytes(journal_path(path_)), size_before);
}

TEST_F(RunStoreTest, ASecondWriterIsRefused) {
  const auto first = open(small_experiment(1, 1));
  const auto second = RunStore::open(files_, path_, small_experiment(1, 1));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConflict);
}

TEST_F(RunStoreTest, AnUnfinishedRecordAtTheEndIsCutOff) {
  {
    auto store = open(small_experiment(1, 2));
    do_turn(*store, 0, 0);
  }
  const std::string journal = journal_path(path_);
  std::filesystem::resize_file(journal, *files_.size_bytes(journal) - 3);
  auto store = open(small_experiment(1, 2));
  EXPECT_GT(store->torn_bytes(), 0U);
  EXPECT_EQ(store->state().turns(), 0);
  EXPECT_TRUE(store->state().trajectories()[0].pending_reply) << "the reply was whole";
  ASSERT_TRUE(store->append(turn_of(0, 0)));
}

// It may have been safe on disk: an append that a crash cut short leaves less than a whole record.
TEST_F(RunStoreTest, AWholeRecordWithWrongContentsAtTheEndIsNotCutOff) {
  {
    auto store = open(small_experiment(1, 2));
    do_turn(*store, 0, 0);
  }
  flip_last_byte(journal_path(path_));
  const auto size_before = *files_.size_bytes(journal_path(path_));
  const auto refused = RunStore::open(files_, path_, small_experiment(1, 2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().file, journal_path(path_));
  EXPECT_THAT(refused.error().what, HasSubstr("from byte"));
  EXPECT_THAT(refused.error().hint, HasSubstr("ptxbatch recover " + path_));
  EXPECT_EQ(*files_.size_bytes(journal_path(path_)), size_before);
}

TEST_F(RunStoreTest, AJournalThatCannotBeReadBackWholeIsKept) {
  auto store = open(small_experiment(1, 1));
  do_turn(*store, 0, 0);
  ASSERT_TRUE(store->append(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
  ASSERT_TRUE(store->sync());
  flip_last_byte(journal_path(path_));
  EXPECT_FALSE(store->finish());
  EXPECT_TRUE(files_.exists(journal_path(path_)));
  EXPECT_FALSE(files_.exists(path_)) << "it would lack what was finished";
}

TEST_F(RunStoreTest, OnlyTurnsThatASyncMadeSafeAreSafe) {
  FailingFileSystem files;
  auto store = RunStore::open(files, path_, small_experiment(1, 2));
  ASSERT_TRUE(store);
  do_turn(**store, 0, 0);
  ASSERT_TRUE((*store)->append(reply_of(0, 1)));
  ASSERT_TRUE((*store)->append(turn_of(0, 1)));
  files.fail_sync = true;
  EXPECT_FALSE((*store)->sync());
  EXPECT_EQ((*store)->state().turns(), 2);
  EXPECT_EQ((*store)->safe_turns(), 1);
  store->reset();
  EXPECT_EQ(open(small_experiment(1, 2))->safe_turns(), 1);
}

TEST_F(RunStoreTest, AnAssignmentHoldsWhatTheJournalHas) {
  {
    auto store = open(small_experiment(2, 3));
    for (int turn = 0; turn < 2; ++turn) {
      do_turn(*store, 1, turn);
      do_turn(*store, 0, turn);
    }
    ASSERT_TRUE(store->append(reply_of(1, 2)));
  }
  const auto store = open(small_experiment(2, 3));
  const auto assignment = store->assignment(1);
  ASSERT_TRUE(assignment) << describe(assignment.error());
  EXPECT_EQ(assignment->trajectory.index, 1);
  ASSERT_EQ(assignment->history.size(), 2U);
  EXPECT_EQ(assignment->history[0].reply, "reply 0");
  EXPECT_EQ(assignment->history[1].reply, "reply 1");
  EXPECT_EQ(assignment->history[1].feedback, "feedback 1");
  ASSERT_TRUE(assignment->pending_reply);
  EXPECT_EQ(*assignment->pending_reply, reply_of(1, 2));
}

TEST_F(RunStoreTest, AnAssignmentAfterTheJournalWasMadeAgainHoldsItsTurns) {
  {
    auto store = open(small_experiment(1, 2));
    do_turn(*store, 0, 0);
    ASSERT_TRUE(store->append(TrajectoryEndRecord{0, TrajectoryEnd::kFailed, "no reply"}));
    ASSERT_TRUE(store->finish());
  }
  auto store = open(small_experiment(1, 2));
  ASSERT_TRUE(store->append(EventRecord{0, 1, 0, "resumed", ""}));
  const auto assignment = store->assignment(0);
  ASSERT_TRUE(assignment) << describe(assignment.error());
  ASSERT_EQ(assignment->history.size(), 1U);
  EXPECT_EQ(assignment->history[0].feedback, "feedback 0");
}

TEST_F(RunStoreTest, AJournalThatLostRecordsMeanwhileIsAnErrorNotAShorterHistory) {
  auto store = open(small_experiment(1, 2));
  do_turn(*store, 0, 0);
  const std::string journal = journal_path(path_);
  std::filesystem::resize_file(journal, *files_.size_bytes(journal) - 3);
  const auto assignment = store->assignment(0);
  ASSERT_FALSE(assignment);
  EXPECT_EQ(assignment.error().file, journal);
}

TEST_F(RunStoreTest, StatusOfNothingIsAnError) {
  const auto state = read_run_state(folder_ + "/none.h5");
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().file, folder_ + "/none.h5");
}

}  // namespace
}  // namespace ptxbatch
