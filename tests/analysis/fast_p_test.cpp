#include "analysis/fast_p.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

// Two prompt tags of one trajectory with four turns each: 4 of 8 turns are correct.
TurnTable two_tags() {
  TurnTable table = empty_table(4);
  add_trajectory(table, {"m", "GEMM", "base"},
                 {with_target(0.5), without_target(1.0), with_target(0.5)});
  add_trajectory(table, {"m", "GEMM", "cluster"},
                 {failed(Label::kRuntimeError), with_target(0.25)});
  return table;
}

FastCurves curves_of(const TurnTable& table, SpeedupKind kind = SpeedupKind::kPaper) {
  return fast_curves({&table, 1}, group_trajectories({&table, 1}), kind).at(0);
}

TEST(FastP, IsTheShareOfPlannedTurnsStrictlyFasterThanP) {
  const FastCurves curves = curves_of(two_tags());
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(0), 4.0 / 8);
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(0.25), 3.0 / 8);
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(0.49), 3.0 / 8);
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(0.5), 1.0 / 8);
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(1.0), 0);
}

TEST(FastP, InstCountsOnlyTurnsThatExecutedTheTargetInstruction) {
  const FastCurves curves = curves_of(two_tags());
  EXPECT_DOUBLE_EQ(curves.with_target.pooled.at(0), 3.0 / 8);
  EXPECT_DOUBLE_EQ(curves.with_target.pooled.at(0.5), 0);
}

TEST(FastP, TheBandSpansThePromptTags) {
  const FastCurves curves = curves_of(two_tags());
  EXPECT_THAT(curves.any.by_prompt_tag, SizeIs(2));
  EXPECT_DOUBLE_EQ(curves.any.band_low(0), 1.0 / 4);
  EXPECT_DOUBLE_EQ(curves.any.band_high(0), 3.0 / 4);
  EXPECT_DOUBLE_EQ(curves.any.band_low(0.3), 0);
}

TEST(FastP, TheBestSpeedupEndsTheCurve) {
  const FastCurves curves = curves_of(two_tags());
  EXPECT_DOUBLE_EQ(curves.any.best_speedup(), 1.0);
  EXPECT_DOUBLE_EQ(curves.with_target.best_speedup(), 0.5);
  EXPECT_DOUBLE_EQ(curves_of(two_tags(), SpeedupKind::kPaired).any.best_speedup(), 2.0);
}

TEST(FastP, IsZeroEverywhereWithoutACorrectTurn) {
  TurnTable table = empty_table(2);
  add_trajectory(table, {}, {failed(Label::kRuntimeError)});
  const FastCurves curves = curves_of(table);
  EXPECT_DOUBLE_EQ(curves.any.pooled.at(0), 0);
  EXPECT_DOUBLE_EQ(curves.any.band_high(0), 0);
  EXPECT_DOUBLE_EQ(curves.any.best_speedup(), 0);
  EXPECT_THAT(step_points(curves, 1.2, 100), ElementsAre(0, 1.2));
}

TEST(FastP, StepsAreTheDistinctSpeedupsBetweenTheEnds) {
  EXPECT_THAT(step_points(curves_of(two_tags()), 1.2, 100), ElementsAre(0, 0.25, 0.5, 1.0, 1.2));
  EXPECT_THAT(step_points(curves_of(two_tags()), 0.5, 100), ElementsAre(0, 0.25, 0.5));
}

TEST(FastP, TooManyStepsBecomeEvenOnes) {
  EXPECT_THAT(step_points(curves_of(two_tags()), 1.2, 3), ElementsAre(0, 0.6, 1.2));
}

TEST(FastP, ASpeedupThatIsNotANumberExceedsNothing) {
  TurnTable table = empty_table(2);
  add_trajectory(table, {}, {with_target(std::nan("")), with_target(0.5)});
  EXPECT_DOUBLE_EQ(curves_of(table).any.pooled.at(0), 0.5);
}

}  // namespace
}  // namespace ptxbatch
