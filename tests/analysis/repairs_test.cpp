// Which turns of a run are repairs, and what of a reply explains one.
#include "analysis/repairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/run_on_disk.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

std::vector<RunRecords> records_of(const SmallRun& run) {
  const TestFolder folder;
  run.write(folder.file("run.h5"));
  auto read = read_run(folder.file("run.h5"));
  EXPECT_TRUE(read.has_value()) << describe(read.error());
  return {std::move(*read)};
}

// SmallRun: a compilation error, then a correct turn.
TEST(Repairs, AreAFailureAndTheCorrectTurnAfterIt) {
  SmallRun small;
  small.replies[1].text = "The semicolon was missing.\n```cpp\nvoid run() {}\n```\n";
  const auto runs = records_of(small);
  const auto repairs = find_repairs(runs);
  ASSERT_THAT(repairs, SizeIs(1));
  EXPECT_EQ(repairs[0].planned->definition, "gemm_f32_n192_k160");
  EXPECT_EQ(repairs[0].failed->source, "int x = ;");
  EXPECT_EQ(repairs[0].correct->source, "void run() {}");
  EXPECT_EQ(repairs[0].rationale, "The semicolon was missing.");
}

TEST(Repairs, AFailureOfTheServiceOrWithoutCodeIsNoneAndACorrectTurnNeither) {
  for (const Label label :
       {Label::kCorrect, Label::kProfilingServiceTimeout, Label::kExtractionError}) {
    SmallRun small;
    small.turns[0].label = label;
    EXPECT_THAT(find_repairs(records_of(small)), IsEmpty());
  }
  SmallRun without_source;
  without_source.turns[0].source.clear();
  EXPECT_THAT(find_repairs(records_of(without_source)), IsEmpty());
}

TEST(Repairs, OnlyTheDirectlyFollowingTurnCounts) {
  SmallRun small;
  small.turns[1].label = Label::kNumericalError;
  small.add_turn(Label::kCorrect, "void run() { }", "Correct.");
  const auto runs = records_of(small);
  const auto repairs = find_repairs(runs);
  ASSERT_THAT(repairs, SizeIs(1));
  EXPECT_EQ(repairs[0].failed->turn, 1);
}

TEST(TextOutsideCode, LeavesOutFencedBlocksAndJoinsTheRest) {
  EXPECT_EQ(text_outside_code("\n\nOne.\nTwo.\n\n```cpp\nint x;\n```\n\n\nThree.\n"),
            "One.\nTwo.\n\nThree.");
  EXPECT_EQ(text_outside_code("```cpp\nint x;\n```"), "");
  EXPECT_EQ(text_outside_code("Cut off:\n```cpp\nint x;"), "Cut off:");
}

}  // namespace
}  // namespace ptxbatch
