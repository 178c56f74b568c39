// Intervals against published examples and tables, and at the ends where there is nothing or
// everything. How often they hold the truth: chance_simulation_test.cpp.
#include "analysis/intervals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ptxbatch {
namespace {

// `correct` of `count` trajectories of one turn.
TrajectoryScores single_turns(int correct, int count) {
  TrajectoryScores scores(static_cast<std::size_t>(count), TrajectoryScore{1, 0, 0});
  for (int i = 0; i < correct; ++i) scores[static_cast<std::size_t>(i)].correct_turns = 1;
  return scores;
}

void expect_interval(const std::optional<Interval>& interval, double low, double high,
                     double tolerance = 5e-5) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, low, tolerance);
  EXPECT_NEAR(interval->high, high, tolerance);
}

// The examples of Newcombe, Statistics in Medicine 17 (1998), 857-872, method 3.
TEST(Intervals, WilsonsAreThoseOfTheLiterature) {
  expect_interval(wilson_interval(81.0 / 263, 263), 0.2553, 0.3662);
  expect_interval(wilson_interval(15.0 / 148, 148), 0.0624, 0.1605);
  expect_interval(wilson_interval(0, 20), 0, 0.1611);
  expect_interval(wilson_interval(1.0 / 29, 29), 0.0061, 0.1718);
  expect_interval(wilson_interval(1, 20), 1 - 0.1611, 1);
}

TEST(Intervals, ThatOfTrajectoriesWithACorrectTurnIsWilsons) {
  expect_interval(pass_interval(single_turns(15, 148)), 0.0624, 0.1605);
}

// The examples of Newcombe, Statistics in Medicine 17 (1998), 873-890, method 10; with so many
// trajectories Student's quantile is hardly the greater.
TEST(Intervals, NewcombesDifferencesAreThoseOfTheLiterature) {
  const auto difference = [](int a, int m, int b, int n) {
    return correctness_difference(single_turns(a, m), single_turns(b, n));
  };
  expect_interval(difference(56, 70, 48, 80).interval, 0.0524, 0.3339, 0.003);
  expect_interval(difference(5, 56, 0, 29).interval, -0.0381, 0.1926, 0.01);
  EXPECT_TRUE(difference(56, 70, 48, 80).beyond_chance());
  EXPECT_FALSE(difference(5, 56, 0, 29).beyond_chance());
}

TEST(Intervals, NothingAndEverythingKeepTheUncertaintyOfTheTrajectories) {
  const TrajectoryScores none(12, TrajectoryScore{8, 0, 0});
  const TrajectoryScores all(12, TrajectoryScore{8, 8, 0});
  const Interval of_single_turns = *correctness_interval(single_turns(0, 12));
  expect_interval(correctness_interval(none), 0, of_single_turns.high);
  expect_interval(correctness_interval(all), 1 - of_single_turns.high, 1);
}

TEST(Intervals, TurnsThatGoTogetherCountAsOneTrajectory) {
  // Half of the trajectories all right, half all wrong: no more than 12 independent trials.
  TrajectoryScores together(12, TrajectoryScore{8, 0, 0});
  for (std::size_t i = 0; i < 6; ++i) together[i].correct_turns = 8;
  const Interval twelve = *correctness_interval(single_turns(6, 12));
  expect_interval(correctness_interval(together), twelve.low, twelve.high);
  // Every trajectory half right: as good as 96 of them, but for the quantile.
  const TrajectoryScores apart(12, TrajectoryScore{8, 4, 0});
  const Interval ninety_six = wilson_interval(0.5, 96);
  const Interval narrow = *correctness_interval(apart);
  EXPECT_NEAR((narrow.high - 0.5) / (ninety_six.high - 0.5), 2.20099 / 1.95996, 0.01);
}

TEST(Intervals, FewerThanFourTrajectoriesHaveNone) {
  for (int count = 0; count < 4; ++count) {
    const TrajectoryScores few = single_turns(count / 2, count);
    EXPECT_FALSE(correctness_interval(few));
    EXPECT_FALSE(pass_interval(few));
    const Difference difference = correctness_difference(few, single_turns(20, 20));
    EXPECT_FALSE(difference.judged());
    EXPECT_FALSE(difference.beyond_chance());
  }
  EXPECT_TRUE(correctness_interval(single_turns(2, 4)));
}

// With as many independent turns as trajectories, quantile^2 / count is all that the interval
// depends on: that of nothing correct ends at x / (1 + x).
double quantile_used(int trajectories) {
  const double end = correctness_interval(single_turns(0, trajectories))->high;
  return std::sqrt(trajectories * end / (1 - end));
}

// From tables of Student's distribution, 97.5 %.
TEST(Intervals, TheQuantileIsStudentsOfOneLessThanTheTrajectories) {
  EXPECT_NEAR(quantile_used(4) / 3.18245, 1, 0.003);
  EXPECT_NEAR(quantile_used(6) / 2.57058, 1, 0.001);
  EXPECT_NEAR(quantile_used(12) / 2.20099, 1, 1e-4);
  EXPECT_NEAR(quantile_used(31) / 2.04227, 1, 1e-5);
}

}  // namespace
}  // namespace ptxbatch
