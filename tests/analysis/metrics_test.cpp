#include "analysis/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/coverage.h"
#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

const std::vector<std::int32_t> kLimits = {1, 4, 8};

// Two trajectories of one condition: one solved without the target instruction at turn 0 and with
// it at turn 2, one that is short and solved, unexamined, at turn 1.
TurnTable two_trajectories() {
  TurnTable table = empty_table(8);
  add_trajectory(table, {},
                 {without_target(0.9), failed(Label::kRuntimeError), with_target(0.5),
                  failed(Label::kNumericalError), with_target(0.75)});
  add_trajectory(table, {}, {failed(Label::kExtractionError), unexamined(0.25)});
  return table;
}

std::vector<LimitScore> scores_of(const TurnTable& table,
                                  const std::vector<std::int32_t>& limits = kLimits,
                                  SpeedupKind kind = SpeedupKind::kPaper) {
  return score_turns({&table, 1}, group_trajectories({&table, 1}), limits, kind).at(0);
}

TEST(TurnCorrectness, CountsTurnsBeforeTheLimitOverAllThatCouldBeTaken) {
  const auto scores = scores_of(two_trajectories());
  EXPECT_EQ(scores[0].turns, 2);
  EXPECT_EQ(scores[1].turns, 8);
  EXPECT_EQ(scores[2].turns, 16);
  EXPECT_DOUBLE_EQ(scores[0].correctness(scores[0].unrestricted), 1.0 / 2);
  EXPECT_DOUBLE_EQ(scores[1].correctness(scores[1].unrestricted), 3.0 / 8);
  EXPECT_DOUBLE_EQ(scores[2].correctness(scores[2].unrestricted), 4.0 / 16);
}

TEST(TurnCorrectness, WithTheTargetRestrictionOnlyPresentCounts) {
  TurnTable table = empty_table(5);
  add_trajectory(table, {},
                 {{Label::kCorrect, 1, TargetInstruction::kAbsent},
                  {Label::kCorrect, 1, TargetInstruction::kNotExecuted},
                  {Label::kCorrect, 1, TargetInstruction::kUnknown},
                  {Label::kCorrect, 1, TargetInstruction::kNotExamined},
                  {Label::kCorrect, 1, TargetInstruction::kPresent}});
  const auto scores = scores_of(table, {5});
  EXPECT_EQ(scores[0].with_target.correct_turns, 1);
  EXPECT_EQ(scores[0].unrestricted.correct_turns, 5);
}

TEST(RequireCoverage, ATokenInstructionAndAnUnknownShareNoLongerCountAsPresent) {
  TurnTable table = empty_table(4);
  add_trajectory(table, {},
                 {{Label::kCorrect, 1, TargetInstruction::kPresent, 1.03},
                  {Label::kCorrect, 1, TargetInstruction::kPresent, 0.5},
                  {Label::kCorrect, 1, TargetInstruction::kPresent, 0.001},
                  {Label::kCorrect, 1, TargetInstruction::kPresent}});
  EXPECT_EQ(scores_of(table, {4})[0].with_target.correct_turns, 4);
  require_coverage(table, 0.5);
  EXPECT_EQ(scores_of(table, {4})[0].with_target.correct_turns, 2);
  EXPECT_EQ(scores_of(table, {4})[0].unrestricted.correct_turns, 4);
  EXPECT_THAT(table.target_instruction,
              ElementsAre(TargetInstruction::kPresent, TargetInstruction::kPresent,
                          TargetInstruction::kNotExecuted, TargetInstruction::kUnknown));
}

TEST(TurnCorrectness, AnExecutedTargetInstructionDoesNotMakeAWrongTurnCount) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {{Label::kNumericalError, 0, TargetInstruction::kPresent}});
  EXPECT_EQ(scores_of(table, {1})[0].with_target.correct_turns, 0);
}

TEST(TurnCorrectness, ATrajectoryWithoutAnyTurnStaysInTheDenominator) {
  TurnTable table = empty_table(4);
  add_trajectory(table, {}, {with_target(1), with_target(1), with_target(1), with_target(1)});
  add_trajectory(table, {}, {});
  const auto scores = scores_of(table, {4});
  EXPECT_DOUBLE_EQ(scores[0].correctness(scores[0].with_target), 0.5);
}

TEST(TurnCorrectness, TheOrderOfStoredTurnsDoesNotMatter) {
  TurnTable table = two_trajectories();
  std::swap(table.turn[0], table.turn[2]);
  std::swap(table.label[0], table.label[2]);
  std::swap(table.target_instruction[0], table.target_instruction[2]);
  std::swap(table.speedup[0], table.speedup[2]);
  const auto scores = scores_of(table);
  EXPECT_EQ(scores[0].unrestricted.correct_turns, 1);
  EXPECT_EQ(scores[0].with_target.correct_turns, 0);
}

TEST(TurnCorrectness, PooledExperimentsOfDifferentLengthsEachAddTheirOwnTurns) {
  TurnTable brief = empty_table(2);
  add_trajectory(brief, {}, {with_target(1), with_target(1)});
  TurnTable full = empty_table(8);
  add_trajectory(full, {}, {});
  const std::vector<TurnTable> tables = {brief, full};
  const auto scores =
      score_turns(tables, group_trajectories(tables), kLimits, SpeedupKind::kPaper).at(0);
  EXPECT_EQ(scores[2].turns, 2 + 8);
  EXPECT_EQ(scores[2].unrestricted.correct_turns, 2);
}

TEST(BestSpeedup, IsTheLargestOfTheTurnsThatCount) {
  const auto scores = scores_of(two_trajectories());
  EXPECT_DOUBLE_EQ(scores[0].with_target.best_speedup, 0);
  EXPECT_DOUBLE_EQ(scores[1].with_target.best_speedup, 0.5);
  EXPECT_DOUBLE_EQ(scores[2].with_target.best_speedup, 0.75);
  EXPECT_DOUBLE_EQ(scores[2].unrestricted.best_speedup, 0.9);
}

TEST(BestSpeedup, ComesFromThePairsWhenAskedFor) {
  const auto scores = scores_of(two_trajectories(), {8}, SpeedupKind::kPaired);
  EXPECT_DOUBLE_EQ(scores[0].unrestricted.best_speedup, 1.8);
}

TEST(BestSpeedup, IgnoresASpeedupThatAFailedTurnCarries) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {{Label::kNumericalError, 3.0, TargetInstruction::kPresent}});
  EXPECT_DOUBLE_EQ(scores_of(table, {1})[0].unrestricted.best_speedup, 0);
}

TEST(PassAtT, CountsTrajectoriesWithACorrectTurnBeforeTheLimitOnce) {
  const auto scores = scores_of(two_trajectories());
  EXPECT_DOUBLE_EQ(scores[0].pass(scores[0].unrestricted), 0.5);
  EXPECT_DOUBLE_EQ(scores[1].pass(scores[1].unrestricted), 1.0);
  EXPECT_DOUBLE_EQ(scores[0].pass(scores[0].with_target), 0);
  EXPECT_DOUBLE_EQ(scores[2].pass(scores[2].with_target), 0.5);
}

TEST(Limits, AreCutToTheTurnsOfTheExperimentAndNoneIsShownTwice) {
  const TurnTable table = empty_table(4);
  EXPECT_THAT(capped_limits({&table, 1}, std::vector<std::int32_t>{8, 1, 4, 0, 1}),
              ElementsAre(1, 4));
}

TEST(Limits, OfASingleTurnAreOne) {
  const TurnTable table = empty_table(1);
  EXPECT_THAT(capped_limits({&table, 1}, kLimits), ElementsAre(1));
}

TEST(LabelCounts, CountEveryRecordedTurnAndItsReasoning) {
  const TurnTable table = two_trajectories();
  const auto counts = count_labels({&table, 1}, group_trajectories({&table, 1})).at(0);
  EXPECT_THAT(counts.turns, ElementsAre(4, 1, 0, 1, 0, 0, 0, 1, 0));
  EXPECT_THAT(counts.reasoning_tokens, ElementsAre(400, 100, 0, 100, 0, 0, 0, 100, 0));
  EXPECT_EQ(counts.total(), 7);
  EXPECT_EQ(counts.unknown_target, 1);
}

TEST(Transitions, PairNeighbouringTurnsOfOneTrajectoryOnly) {
  TurnTable table = empty_table(3);
  add_trajectory(table, {}, {failed(Label::kRuntimeError), with_target(1), with_target(1)});
  add_trajectory(table, {}, {failed(Label::kNumericalError)});
  const auto counts = count_transitions({&table, 1}, group_trajectories({&table, 1})).at(0);

  std::int64_t total = 0;
  for (const auto& from : counts) {
    for (const std::int64_t count : from) total += count;
  }
  EXPECT_EQ(total, 2);
  EXPECT_EQ(counts[static_cast<int>(Label::kRuntimeError)][static_cast<int>(Label::kCorrect)], 1);
  EXPECT_EQ(counts[static_cast<int>(Label::kCorrect)][static_cast<int>(Label::kCorrect)], 1);
}

TEST(Transitions, DoNotBridgeATurnThatIsNotThere) {
  TurnTable table = empty_table(3);
  add_trajectory(table, {}, {with_target(1), with_target(1)});
  table.turn[1] = 2;
  const auto counts = count_transitions({&table, 1}, group_trajectories({&table, 1})).at(0);
  EXPECT_EQ(counts[0][0], 0);
}

}  // namespace
}  // namespace ptxbatch
