#include "analysis/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/run_on_disk.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

RunRecords records_of(const SmallRun& run, const RunReadOptions& options = {}) {
  const TestFolder folder;
  run.write(folder.file("run.h5"));
  auto read = read_run(folder.file("run.h5"), options);
  EXPECT_TRUE(read.has_value()) << describe(read.error());
  read->path = "run.h5";
  return std::move(*read);
}

TEST(Show, ListsTrajectoriesAndTurns) {
  const RunRecords run = records_of({});
  EXPECT_THAT(show_trajectories(run, 0), HasSubstr("exp_000  m/1    host    GEMM"));
  const std::string turns = show_trajectory(run, 0, 0);
  EXPECT_THAT(turns, HasSubstr("Compilation error"));
  EXPECT_THAT(turns, HasSubstr("0.500×"));
  EXPECT_THAT(turns, HasSubstr("Ended: turns done."));
}

TEST(Show, ATurnsStoryHasAllOfIt) {
  const auto story = show_turn(records_of({}), 0, 1, 80);
  ASSERT_TRUE(story.has_value());
  for (const char* part : {"Let me think.", "void run() {}", "Correct.", "vfmadd231ps", "median",
                           "evaluate", "prompt_sha256", "input_seed", "power_w 350.5",
                           "exp_000 (trajectory 0): m/1 on host, GEMM"}) {
    EXPECT_THAT(*story, HasSubstr(part));
  }
}

TEST(Show, TheMedianOfAnEvenNumberOfSamplesIsTheMeanOfTheTwoInTheMiddle) {
  SmallRun run;
  run.turns[1].timings = {{0, 0, TimingRecord::Side::kCandidate, {4, 1, 3, 2}}};
  const auto story = show_turn(records_of(run), 0, 1, 80);
  ASSERT_TRUE(story.has_value());
  EXPECT_THAT(*story, ContainsRegex("median +2.5 ms  least +1  most +4 "));
}

TEST(Show, NoControlCharacterOfAModelReachesTheTerminal) {
  SmallRun run;
  run.replies[1].text = "red \x1b[31m text\ttab";
  const auto story = show_turn(records_of(run), 0, 1, 80);
  ASSERT_TRUE(story.has_value());
  EXPECT_THAT(*story, Not(HasSubstr("\x1b")));
  EXPECT_THAT(*story, HasSubstr("text    tab"));
}

TEST(Show, ATurnThatIsNotThereIsAnErrorThatSaysWhichAre) {
  const auto story = show_turn(records_of({}), 0, 7, 80);
  ASSERT_FALSE(story.has_value());
  EXPECT_THAT(story.error().hint, HasSubstr("0 to 1"));
}

TEST(Show, TrajectoriesAreFoundByNumberAndByIdWhereOneHasIt) {
  SmallRun run;
  EXPECT_EQ(find_trajectory(run.experiment, "run.h5", "0").value(), 0);
  EXPECT_EQ(find_trajectory(run.experiment, "run.h5", "exp_000").value(), 0);
  EXPECT_FALSE(find_trajectory(run.experiment, "run.h5", "1").has_value());
  EXPECT_FALSE(find_trajectory(run.experiment, "run.h5", "exp_009").has_value());
  run.experiment.trajectories.push_back(run.experiment.trajectories[0]);
  run.experiment.trajectories[1].index = 1;
  const auto twice = find_trajectory(run.experiment, "run.h5", "exp_000");
  ASSERT_FALSE(twice.has_value());
  EXPECT_THAT(twice.error().hint, HasSubstr("0, 1"));
}

TEST(RunRecords, BeyondTheBudgetOnlyNumbersAreKept) {
  RunReadOptions options;
  options.detail_bytes = 10;
  const RunRecords run = records_of({}, options);
  EXPECT_TRUE(run.trajectories[0].without_details);
  EXPECT_EQ(run.trajectories[0].turns[1].source, "");
  EXPECT_EQ(run.trajectories[0].turns[1].speedup, 0.5);
  EXPECT_EQ(run.trajectories[0].replies[0].text, "");
}

}  // namespace
}  // namespace ptxbatch
