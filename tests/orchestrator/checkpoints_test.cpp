// The results file of a run that goes on is written beside it.
#include "orchestrator/checkpoints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <thread>

#include "results/results_file.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/hand_set_time.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

// The real files, but no file is renamed into place before it is let.
class HeldUpFiles final : public FileSystem {
 public:
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    return real_file_system().open_append(path);
  }
  Status create_exclusive(const std::string& path, std::string_view contents) override {
    return real_file_system().create_exclusive(path, contents);
  }
  Result<std::string> read(const std::string& path) override {
    return real_file_system().read(path);
  }
  Result<std::uint64_t> size_bytes(const std::string& path) override {
    return real_file_system().size_bytes(path);
  }
  bool exists(const std::string& path) override { return real_file_system().exists(path); }
  Status replace(const std::string& from, const std::string& to) override {
    let_.wait();
    return real_file_system().replace(from, to);
  }
  Status remove(const std::string& path) override { return real_file_system().remove(path); }

  void let() { may_.set_value(); }

 private:
  std::promise<void> may_;
  std::shared_future<void> let_ = may_.get_future().share();
};

class CheckpointsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = RunStore::open(files_, path_, small_experiment(1, 3));
    ASSERT_TRUE(store) << describe(store.error());
    store_ = std::move(*store);
    do_turn(0);
  }
  void do_turn(int turn) {
    ASSERT_TRUE(store_->append(reply_of(0, turn)));
    ASSERT_TRUE(store_->append(turn_of(0, turn)));
    ASSERT_TRUE(store_->sync());
  }
  static void wait_until_written(Checkpoints& checkpoints) {
    for (; checkpoints.writing(); checkpoints.update()) std::this_thread::yield();
  }

  TestFolder folder_;
  std::string path_ = folder_.file("run.h5");
  HeldUpFiles files_;
  HandSetTime time_;
  std::unique_ptr<RunStore> store_;
};

TEST_F(CheckpointsTest, IsWrittenWhenItIsDueAndNotBefore) {
  files_.let();
  Checkpoints checkpoints(*store_, 600, time_);
  time_.pass(599);
  checkpoints.update();
  EXPECT_FALSE(checkpoints.writing());
  time_.pass(2);
  checkpoints.update();
  EXPECT_TRUE(checkpoints.writing());
  wait_until_written(checkpoints);
  const auto summary = read_results_summary(path_);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->turns, 1);
  EXPECT_FALSE(summary->complete);
  checkpoints.update();
  EXPECT_FALSE(checkpoints.writing()) << "the next is due 600 s later";
}

TEST_F(CheckpointsTest, TurnsAreJournalledWhileItIsWritten) {
  Checkpoints checkpoints(*store_, 600, time_);
  time_.pass(601);
  checkpoints.update();
  do_turn(1);
  EXPECT_TRUE(checkpoints.writing());
  EXPECT_FALSE(std::filesystem::exists(path_));
  files_.let();
  wait_until_written(checkpoints);
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(store_->state().turns(), 2);
}

TEST_F(CheckpointsTest, NoneBeginsAfterAStop) {
  files_.let();
  Checkpoints checkpoints(*store_, 600, time_);
  checkpoints.stop();
  time_.pass(601);
  checkpoints.update();
  EXPECT_FALSE(checkpoints.writing());
}

TEST_F(CheckpointsTest, OneThatIsAbandonedLeavesTheFileAsItWas) {
  const std::atomic<bool> abandon = true;
  EXPECT_FALSE(store_->checkpoint(abandon));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".tmp"));
}

TEST(CheckpointPause, GrowsWithWhatACheckpointTakes) {
  EXPECT_EQ(Checkpoints::pause_s(600, 1), 600);
  EXPECT_EQ(Checkpoints::pause_s(600, 100), 1900) << "one twentieth of 2000 s";
}

}  // namespace
}  // namespace ptxbatch
