// Intervals against published examples, against simulation, and at the ends where there is nothing
// or everything.
#include "analysis/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ptxbatch {
namespace {

// `correct` of `count` trajectories of one turn.
TrajectoryScores single_turns(int correct, int count) {
  TrajectoryScores scores(static_cast<std::size_t>(count), TrajectoryScore{1, 0, 0});
  for (int i = 0; i < correct; ++i) scores[static_cast<std::size_t>(i)].correct_turns = 1;
  return scores;
}

TrajectoryScores with_best(const std::vector<double>& best) {
  TrajectoryScores scores;
  for (const double one : best) scores.push_back({8, one > 0 ? 1 : 0, one});
  return scores;
}

void expect_interval(const Interval& interval, double low, double high, double tolerance = 5e-5) {
  EXPECT_NEAR(interval.low, low, tolerance);
  EXPECT_NEAR(interval.high, high, tolerance);
}

// The examples of Newcombe, Statistics in Medicine 17 (1998), 857-872, method 3.
TEST(Intervals, WilsonsAreThoseOfTheLiterature) {
  expect_interval(wilson_interval(81.0 / 263, 263), 0.2553, 0.3662);
  expect_interval(wilson_interval(15.0 / 148, 148), 0.0624, 0.1605);
  expect_interval(wilson_interval(0, 20), 0, 0.1611);
  expect_interval(wilson_interval(1.0 / 29, 29), 0.0061, 0.1718);
  expect_interval(wilson_interval(1, 20), 1 - 0.1611, 1);
}

TEST(Intervals, OfSingleTurnsTheCorrectnessIntervalIsWilsons) {
  expect_interval(correctness_interval(single_turns(15, 148)), 0.0624, 0.1605);
  expect_interval(pass_interval(single_turns(15, 148)), 0.0624, 0.1605);
}

// The examples of Newcombe, Statistics in Medicine 17 (1998), 873-890, method 10.
TEST(Intervals, NewcombesDifferencesAreThoseOfTheLiterature) {
  const auto difference = [](int a, int m, int b, int n) {
    return correctness_difference(single_turns(a, m), single_turns(b, n));
  };
  expect_interval(difference(56, 70, 48, 80).interval, 0.0524, 0.3339);
  expect_interval(difference(9, 10, 3, 10).interval, 0.1705, 0.8090);
  expect_interval(difference(5, 56, 0, 29).interval, -0.0381, 0.1926);
  EXPECT_TRUE(difference(56, 70, 48, 80).beyond_chance());
  EXPECT_FALSE(difference(5, 56, 0, 29).beyond_chance());
}

TEST(Intervals, NothingAndEverythingKeepTheUncertaintyOfTheTrajectories) {
  const TrajectoryScores none(12, TrajectoryScore{8, 0, 0});
  const TrajectoryScores all(12, TrajectoryScore{8, 8, 0});
  expect_interval(correctness_interval(none), 0, wilson_interval(0, 12).high);
  expect_interval(correctness_interval(all), wilson_interval(1, 12).low, 1);
  expect_interval(correctness_interval({}), 0, 1);
  expect_interval(pass_interval({}), 0, 1);
  expect_interval(best_speedup_interval({}), 0, 0);
}

TEST(Intervals, TurnsThatGoTogetherCountAsOneTrajectory) {
  // Half of the trajectories all right, half all wrong: no more than 12 independent trials.
  TrajectoryScores together(12, TrajectoryScore{8, 0, 0});
  for (std::size_t i = 0; i < 6; ++i) together[i].correct_turns = 8;
  const Interval wide = correctness_interval(together);
  expect_interval(wide, wilson_interval(0.5, 12).low, wilson_interval(0.5, 12).high);
  // Every trajectory half right: as good as 96 of them.
  const TrajectoryScores apart(12, TrajectoryScore{8, 4, 0});
  expect_interval(correctness_interval(apart), wilson_interval(0.5, 96).low,
                  wilson_interval(0.5, 96).high);
}

// Trajectories whose own chance of a correct turn varies, as those of a model do.
TEST(Intervals, TheCorrectnessIntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937 random(1);
  std::gamma_distribution<double> first(0.6);
  std::gamma_distribution<double> second(1.4);
  constexpr double kTruth = 0.3;
  constexpr int kRuns = 2000;
  int held = 0;
  for (int run = 0; run < kRuns; ++run) {
    TrajectoryScores scores(12, TrajectoryScore{8, 0, 0});
    for (TrajectoryScore& score : scores) {
      const double a = first(random);
      std::binomial_distribution<int> correct(8, a / (a + second(random)));
      score.correct_turns = correct(random);
    }
    if (correctness_interval(scores).contains(kTruth)) ++held;
  }
  EXPECT_GT(held, kRuns * 92 / 100);
  EXPECT_LT(held, kRuns * 98 / 100);
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

TEST(Intervals, TheExactBootstrapOfTheBestIsWhatDrawingGives) {
  const std::vector<double> seen = {0, 0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.5, 0.7};
  const std::vector<double> other = {0, 0.3, 0.3, 0.4, 0.45, 0.9};
  std::mt19937 random(2);
  const auto draw = [&](const std::vector<double>& values) {
    double best = 0;
    std::uniform_int_distribution<std::size_t> which(0, values.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) best = std::max(best, values[which(random)]);
    return best;
  };
  std::vector<double> bests;
  std::vector<double> differences;
  for (int i = 0; i < 20'000; ++i) {
    bests.push_back(draw(seen));
    differences.push_back(bests.back() - draw(other));
  }
  expect_interval(best_speedup_interval(with_best(seen)), quantile(bests, 0.025),
                  quantile(bests, 0.975));
  const Difference difference = best_speedup_difference(with_best(seen), with_best(other));
  expect_interval(difference.interval, quantile(differences, 0.025), quantile(differences, 0.975),
                  1e-9);
  EXPECT_NEAR(difference.value, -0.2, 1e-9);
}

TEST(Intervals, OneTrajectoryAloneTellsLittle) {
  EXPECT_GT(
      correctness_interval(single_turns(1, 1)).high - correctness_interval(single_turns(1, 1)).low,
      0.7);
  expect_interval(best_speedup_interval(with_best({0.5})), 0.5, 0.5);
}

}  // namespace
}  // namespace ptxbatch
