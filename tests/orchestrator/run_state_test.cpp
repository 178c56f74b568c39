// The state of a run comes from its records alone, and a record that cannot follow is refused: so
// no turn counts twice, whatever a rank sends.
#include "orchestrator/run_state.h"

#include <gtest/gtest.h>

#include "tests/orchestrator/run_records.h"

namespace ptxbatch {
namespace {

class RunStateTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(state_.apply(small_experiment(2, 3))); }
  RunState state_;
};

TEST_F(RunStateTest, AFinishedTurnBecomesHistory) {
  ASSERT_TRUE(state_.apply(reply_of(0, 0), 100));
  ASSERT_TRUE(state_.apply(turn_of(0, 0), 200));
  const TrajectoryState& trajectory = state_.trajectories()[0];
  ASSERT_EQ(trajectory.history.size(), 1U);
  EXPECT_EQ(trajectory.history[0].reply, 100U);
  EXPECT_EQ(trajectory.history[0].turn, 200U);
  EXPECT_FALSE(trajectory.pending_reply);
  EXPECT_EQ(state_.turns(), 1);
  EXPECT_EQ(state_.labels()[static_cast<std::size_t>(Label::kCorrect)], 1);
}

TEST_F(RunStateTest, ATurnTwiceIsRefused) {
  ASSERT_TRUE(state_.apply(reply_of(0, 0)));
  ASSERT_TRUE(state_.apply(turn_of(0, 0)));
  EXPECT_FALSE(state_.apply(turn_of(0, 0)));
  EXPECT_FALSE(state_.apply(reply_of(0, 0)));
  EXPECT_EQ(state_.turns(), 1);
}

TEST_F(RunStateTest, ATurnWithoutItsReplyIsRefused) {
  EXPECT_FALSE(state_.apply(turn_of(0, 0)));
  ASSERT_TRUE(state_.apply(reply_of(0, 0)));
  EXPECT_FALSE(state_.apply(turn_of(0, 1)));
}

TEST_F(RunStateTest, NothingFollowsTheEndOfATrajectory) {
  ASSERT_TRUE(state_.apply(TrajectoryEndRecord{0, TrajectoryEnd::kTargetReached, ""}));
  EXPECT_FALSE(state_.apply(reply_of(0, 0)));
  EXPECT_FALSE(state_.apply(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
}

TEST_F(RunStateTest, UnknownTrajectoriesAreRefused) {
  EXPECT_FALSE(state_.apply(reply_of(2, 0)));
  EXPECT_FALSE(state_.apply(reply_of(-1, 0)));
}

TEST_F(RunStateTest, IsCompleteWhenEveryTrajectoryHasEnded) {
  ASSERT_TRUE(state_.apply(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
  EXPECT_FALSE(state_.complete());
  ASSERT_TRUE(state_.apply(TrajectoryEndRecord{1, TrajectoryEnd::kFailed, "no reply"}));
  EXPECT_TRUE(state_.complete());
  EXPECT_EQ(state_.failed(), 1U);
}

TEST_F(RunStateTest, WhatFailedIsTriedAgainInALaterSession) {
  ASSERT_TRUE(state_.apply(TrajectoryEndRecord{0, TrajectoryEnd::kFailed, "no reply"}));
  ASSERT_TRUE(state_.apply(EventRecord{0, 1, 0, "resumed", ""}));
  EXPECT_EQ(state_.failed(), 0U);
  EXPECT_EQ(state_.ended(), 0U);
  EXPECT_EQ(state_.sessions(), 2);
  ASSERT_TRUE(state_.apply(reply_of(0, 0)));
}

}  // namespace
}  // namespace ptxbatch
