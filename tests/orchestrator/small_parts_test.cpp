// The work queue's choice, the progress line's estimate and the line diff.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/progress.h"
#include "orchestrator/text_diff.h"
#include "orchestrator/work_queue.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/hand_set_time.h"

namespace ptxbatch {
namespace {

TEST(WorkQueue, LargerWorkloadsGoFirst) {
  WorkQueue queue;
  queue.add(0, "small", 1);
  queue.add(1, "large", 100);
  EXPECT_EQ(queue.take(1), 1);
  EXPECT_EQ(queue.take(1), 0);
  EXPECT_EQ(queue.take(1), std::nullopt);
  EXPECT_TRUE(queue.empty());
}

TEST(WorkQueue, ARankStaysWithTheWorkloadItsDeviceHolds) {
  WorkQueue queue;
  queue.add(0, "large", 100);
  queue.add(1, "large", 100);
  queue.add(2, "small", 1);
  queue.add(3, "small", 1);
  EXPECT_EQ(queue.take(1), 0);
  EXPECT_EQ(queue.take(2), 2) << "another rank holds the large one already";
  EXPECT_EQ(queue.take(1), 1);
  EXPECT_EQ(queue.take(1), 3) << "nothing of its own is left";
}

TEST(WorkQueue, KeepsPlanOrderWithinAWorkload) {
  WorkQueue queue;
  for (int i = 0; i < 5; ++i) queue.add(i, "w", 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.take(1), i);
}

TEST(WorkQueue, UntilRepliesHaveComeAllModelsAreTried) {
  WorkQueue queue;
  for (int i = 0; i < 4; ++i) queue.add(i, "w", 1, i < 2 ? "first" : "second");
  EXPECT_EQ(queue.take(1), 0);
  EXPECT_EQ(queue.take(1), 2);
  EXPECT_EQ(queue.take(1), 1);
  EXPECT_EQ(queue.take(1), 3);
}

TEST(WorkQueue, TheModelThatAnswersSlowestGoesFirst) {
  WorkQueue queue;
  queue.add(0, "w", 1, "quick");
  queue.add(1, "w", 1, "slow");
  queue.replied("quick", 10, 100);
  queue.replied("slow", 900, 100);
  EXPECT_EQ(queue.take(1), 1);
  EXPECT_EQ(queue.take(1), 0);
}

TEST(WorkQueue, OfASlowModelEvenASmallWorkloadGoesBeforeAQuickModelsLargeOne) {
  WorkQueue queue(/*affinity=*/false);
  queue.add(0, "large", 100, "quick");
  queue.add(1, "small", 1, "slow");
  queue.replied("quick", 10, 100);
  queue.replied("slow", 900, 100);
  EXPECT_EQ(queue.take(1), 1) << "the replies take the time, not the device";
  EXPECT_EQ(queue.take(1), 0);
}

TEST(WorkQueue, OfAModelWithALimitNoMoreIsHandedOutThanKeepsItBusyWhileOthersHaveWork) {
  WorkQueue queue;
  queue.limit("limited", {.in_flight = 1});
  for (int i = 0; i < 4; ++i) queue.add(i, "w", 1, "limited");
  for (int i = 4; i < 6; ++i) queue.add(i, "w", 1, "unlimited");
  queue.replied("limited", 900, 100);
  queue.replied("unlimited", 10, 100);
  EXPECT_EQ(queue.take(1), 0);
  EXPECT_EQ(queue.take(1), 1);
  EXPECT_EQ(queue.take(1), 4);
  queue.release(0);
  EXPECT_EQ(queue.take(1), 2) << "it has room again";
  EXPECT_EQ(queue.take(1), 5);
  EXPECT_EQ(queue.take(1), 3) << "nobody else has work";
}

TEST(WorkQueue, AModelWithALongQueueBehindItsLimitGoesBeforeOneThatAnswersSlower) {
  WorkQueue queue;
  queue.limit("limited", {.requests_per_minute = 6});
  for (int i = 0; i < 20; ++i) queue.add(i, "w", 1, "limited");
  queue.add(20, "w", 1, "slow");
  queue.replied("limited", 20, 100);  // 2 calls at a time: 20 turns take 200 s
  queue.replied("slow", 100, 100);
  EXPECT_EQ(queue.take(1), 0);
}

TEST(Progress, EstimatesWhatIsLeftFromTheRateOfThisSession) {
  HandSetTime time;
  Progress progress(10, time);
  RunState state;
  ASSERT_TRUE(state.apply(small_experiment(1, 10)));
  progress.update(state);
  for (int turn = 0; turn < 4; ++turn) {
    ASSERT_TRUE(state.apply(reply_of(0, turn)));
    ASSERT_TRUE(state.apply(turn_of(0, turn)));
  }
  time.pass(40);
  EXPECT_THAT(progress.text(state), testing::EndsWith("about 60 s left"));
}

TEST(LineDiff, ShowsOnlyWhatChanged) {
  EXPECT_EQ(line_diff("a\nb\nc\n", "a\nx\nc\n", 10), "- b\n+ x\n");
  EXPECT_EQ(line_diff("a\n", "a\n", 10), "");
  EXPECT_EQ(line_diff("", "a\nb\n", 10), "+ a\n+ b\n");
}

TEST(LineDiff, SaysHowMuchItLeftOut) {
  EXPECT_EQ(line_diff("", "a\nb\nc\n", 1), "+ a\n... and 2 more lines\n");
}

}  // namespace
}  // namespace ptxbatch
