// What chance does to the best, against dealing out by hand.
#include "analysis/best_speedups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ptxbatch {
namespace {

TrajectoryScores with_best(const std::vector<double>& best) {
  TrajectoryScores scores;
  for (const double one : best) scores.push_back({8, one > 0 ? 1 : 0, one});
  return scores;
}

double p_value(const std::vector<double>& first, const std::vector<double>& second) {
  return best_speedup_difference(with_best(first), with_best(second)).p_value.value();
}

// Every way to deal out the pooled values, one by one.
double p_value_by_hand(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  const auto distance = [&](const std::vector<bool>& is_first) {
    double a = 0;
    double b = 0;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      double& best = is_first[i] ? a : b;
      best = std::max(best, pooled[i]);
    }
    return std::abs(a - b);
  };
  std::vector<bool> deal(pooled.size(), false);
  std::fill_n(deal.begin(), first.size(), true);
  const double seen = distance(deal);
  std::sort(deal.begin(), deal.end());
  int as_far = 0;
  int deals = 0;
  do {
    ++deals;
    if (distance(deal) >= seen) ++as_far;
  } while (std::next_permutation(deal.begin(), deal.end()));
  return static_cast<double>(as_far) / deals;
}

TEST(BestSpeedups, TheirDifferenceIsJudgedByEveryWayToDealTheTrajectoriesOut) {
  const std::vector<std::vector<double>> samples = {{0, 0, 0.1, 0.2, 0.3, 0.35, 0.7},
                                                    {0, 0.3, 0.3, 0.4, 0.45},
                                                    {0.8, 0.85, 0.9, 1.1},
                                                    {0, 0, 0, 0},
                                                    {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}};
  for (const auto& first : samples) {
    for (const auto& second : samples) {
      EXPECT_NEAR(p_value(first, second), p_value_by_hand(first, second), 1e-12);
    }
  }
  EXPECT_NEAR(best_speedup_difference(with_best(samples[0]), with_best(samples[1])).value, 0.25,
              1e-12);
}

TEST(BestSpeedups, OneLuckyTrajectoryIsNoBetterResult) {
  EXPECT_GT(p_value({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.9}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1}),
            0.5);
  EXPECT_TRUE(best_speedup_difference(with_best({0.8, 0.9, 0.8, 0.9, 1}),
                                      with_best({0.1, 0.2, 0.1, 0.2, 0.1}))
                  .beyond_chance());
}

TEST(BestSpeedups, FewerThanFourTrajectoriesTellNothing) {
  for (std::size_t count = 0; count < 4; ++count) {
    const TrajectoryScores few = with_best(std::vector<double>(count, 0.5));
    EXPECT_FALSE(best_speedup_difference(few, with_best({1, 1, 1, 1, 1, 1, 1, 1})).judged());
    EXPECT_FALSE(best_speedup_difference(with_best({1, 1, 1, 1, 1, 1, 1, 1}), few).judged());
    EXPECT_FALSE(least_further_best(few, 12));
  }
}

// Of 12 + 12 like trajectories the 5 best are all of the first 12 with probability
// 12 11 10 9 8 / 24 23 22 21 20 = 0.0186, the 4 best with 0.0466.
TEST(BestSpeedups, AsManyFurtherTrajectoriesReachTheFifthBestOfTwelve) {
  const TrajectoryScores twelve =
      with_best({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2});
  EXPECT_EQ(least_further_best(twelve, 12), 0.8);
  EXPECT_EQ(least_further_best(with_best({0.4, 0.1, 0.3, 0.2}), 4), 0.1);
  EXPECT_EQ(least_further_best(with_best({0, 0, 0, 0.2}), 4), 0);
  // A single further trajectory may well have no correct turn.
  EXPECT_EQ(least_further_best(twelve, 1), 0);
}

}  // namespace
}  // namespace ptxbatch
