// The work queue's choice and the line diff.
#include <gtest/gtest.h>

#include "orchestrator/text_diff.h"
#include "orchestrator/work_queue.h"

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
