// Who holds a lock, and when he is certainly gone.
#include "results/lock_holder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/file_system.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

class LockHolderTest : public testing::Test {
 protected:
  LockHolder self_ = LockHolder::current();
  LockHolder holder_ = self_;
};

TEST_F(LockHolderTest, SurvivesItsText) {
  holder_.job_id = "42";
  holder_.job_restarts = 3;
  holder_.cluster = "somewhere";
  const auto read = LockHolder::parse(holder_.to_text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->to_text(), holder_.to_text());
}

TEST_F(LockHolderTest, OfAnEarlierVersionSaysNothingOfClusterAndUser) {
  std::string text = holder_.to_text();
  for (const char* key : {"\"cluster\"", "\"user_id\""}) text.replace(text.find(key) + 1, 1, "_");
  const auto read = LockHolder::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cluster, "");
  EXPECT_EQ(read->user_id, -1);
}

TEST_F(LockHolderTest, WithAnImpossiblePidIsNoHolder) {
  for (const int pid : {0, -1}) {
    holder_.pid = pid;
    EXPECT_FALSE(LockHolder::parse(holder_.to_text()));
  }
}

TEST_F(LockHolderTest, ThatIsThisProcessIsNotGone) {
  EXPECT_FALSE(is_gone(holder_, self_));
}

TEST_F(LockHolderTest, WhosePidIsSomebodyElsesNowIsGone) {
  holder_.process_start_time -= 1;
  EXPECT_TRUE(is_gone(holder_, self_));
}

TEST_F(LockHolderTest, OfAnEarlierBootIsGone) {
  holder_.boot_id = "00000000-0000-0000-0000-000000000000";
  EXPECT_TRUE(is_gone(holder_, self_));
}

TEST_F(LockHolderTest, OnAnotherHostCannotBeJudged) {
  holder_.host += "-other";
  holder_.boot_id = "00000000-0000-0000-0000-000000000000";
  holder_.process_start_time -= 1;
  EXPECT_FALSE(is_gone(holder_, self_));
}

TEST_F(LockHolderTest, InAnotherPidNamespaceCannotBeJudged) {
  holder_.pid_namespace = "pid:[1]";
  holder_.process_start_time -= 1;
  EXPECT_FALSE(is_gone(holder_, self_));
}

TEST_F(LockHolderTest, WhoseJobWasRequeuedIsGoneWhereverItRan) {
  holder_.host += "-other";
  holder_.job_id = self_.job_id = "42";
  self_.job_restarts = 1;
  EXPECT_TRUE(is_gone(holder_, self_));
  holder_.job_restarts = 1;
  EXPECT_FALSE(is_gone(holder_, self_)) << "another step of the same job";
  holder_.job_restarts = 0;
  holder_.cluster = "elsewhere";
  EXPECT_FALSE(is_gone(holder_, self_)) << "the same number on another cluster";
}

// The holder ran on another node as another job; `squeue` is a stand-in.
class JobOfLockHolderTest : public LockHolderTest {
 protected:
  void SetUp() override {
    holder_.host += "-other";
    holder_.job_id = "43";
    self_.job_id = "44";
    holder_.cluster = self_.cluster = "somewhere";
    std::filesystem::create_directory(folder_.file("bin"));
    ::setenv("PATH", folder_.file("bin").c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  bool is_gone_when_squeue(const std::string& does) {
    const std::string squeue = folder_.file("bin/squeue");
    EXPECT_TRUE(write_text(squeue, "#!/bin/sh\n" + does + "\n"));
    std::filesystem::permissions(squeue, std::filesystem::perms::owner_all);
    return is_gone(holder_, self_);
  }

  TestFolder folder_;
  std::string path_ = std::getenv("PATH");
};

TEST_F(JobOfLockHolderTest, HasEndedIsGone) {
  for (const char* state : {"CANCELLED", "COMPLETED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"}) {
    EXPECT_TRUE(is_gone_when_squeue(std::string("echo ") + state)) << state;
  }
  EXPECT_TRUE(
      is_gone_when_squeue("[ \"$*\" = '--noheader --states=all --jobs 43 --format=%T' ] && "
                          "echo FAILED"));
}

TEST_F(JobOfLockHolderTest, IsForgottenIsGone) {
  EXPECT_TRUE(is_gone_when_squeue(""));
  EXPECT_TRUE(
      is_gone_when_squeue("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"));
}

TEST_F(JobOfLockHolderTest, HasNotEndedIsNotGone) {
  for (const char* state : {"RUNNING", "COMPLETING", "PENDING", "SUSPENDED", "REQUEUED"}) {
    EXPECT_FALSE(is_gone_when_squeue(std::string("echo ") + state)) << state;
  }
  EXPECT_FALSE(is_gone_when_squeue("echo COMPLETED; echo RUNNING")) << "one of two components";
}

TEST_F(JobOfLockHolderTest, OfWhichSlurmDoesNotTellIsNotGone) {
  EXPECT_FALSE(is_gone(holder_, self_)) << "no squeue";
  EXPECT_FALSE(is_gone_when_squeue("echo 'Unable to contact slurm controller'; exit 1"));
  EXPECT_FALSE(is_gone_when_squeue("kill -9 $$"));
}

TEST_F(JobOfLockHolderTest, IsLookedForWhateverSqueueIsToldToLeaveOut) {
  ::setenv("SQUEUE_USERS", "nobody", 1);
  EXPECT_FALSE(is_gone_when_squeue("[ -n \"$SQUEUE_USERS\" ] || echo RUNNING"));
  ::unsetenv("SQUEUE_USERS");
}

// Numbers are given anew by each cluster, and Slurm may hide the jobs of others.
TEST_F(JobOfLockHolderTest, OfAnotherClusterOrUserCannotBeJudged) {
  for (const char* cluster : {"elsewhere", ""}) {
    holder_.cluster = cluster;
    EXPECT_FALSE(is_gone_when_squeue("echo COMPLETED")) << cluster;
  }
  holder_.cluster = self_.cluster;
  for (const std::int64_t user : {self_.user_id + 1, std::int64_t{-1}}) {
    holder_.user_id = user;
    EXPECT_FALSE(is_gone_when_squeue("echo COMPLETED")) << user;
  }
}

}  // namespace
}  // namespace ptxbatch
