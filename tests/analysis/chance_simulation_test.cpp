// How often the intervals hold the truth, and how often two like results are told apart, over many
// simulated results. docs/tables.md and the notes below a comparison say what these bounds say.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/best_speedups.h"
#include "analysis/intervals.h"
#include "analysis/paper_chance.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

/// Trajectories whose chance of a correct turn varies as Beta(a, b).
struct Model {
  double a = 1;
  double b = 1;
  std::int32_t turns = 8;

  [[nodiscard]] double truth() const { return a / (a + b); }
};

// The last: one trajectory in ten does nearly everything right, the others nearly nothing.
constexpr Model kEven{2, 2};
constexpr Model kUneven{0.6, 1.4};
constexpr Model kAllOrNothing{0.3, 0.3};
constexpr Model kRarelyCorrect{0.1, 0.9};

constexpr int kRuns = 2000;

class Simulation {
 public:
  TrajectoryScores draw(const Model& model, int count) {
    std::gamma_distribution<double> right(model.a);
    std::gamma_distribution<double> wrong(model.b);
    std::lognormal_distribution<double> speedup(-1, 0.8);
    TrajectoryScores scores(static_cast<std::size_t>(count), TrajectoryScore{model.turns, 0, 0});
    for (TrajectoryScore& score : scores) {
      const double a = right(random_);
      std::binomial_distribution<int> correct(model.turns, a / (a + wrong(random_) + 1e-300));
      score.correct_turns = correct(random_);
      for (int i = 0; i < score.correct_turns; ++i) {
        score.best_speedup = std::max(score.best_speedup, speedup(random_));
      }
    }
    return scores;
  }

  // Of 100.
  double held(const Model& model, int count) {
    int held = 0;
    for (int run = 0; run < kRuns; ++run) {
      if (correctness_interval(draw(model, count))->contains(model.truth())) ++held;
    }
    return 100.0 * held / kRuns;
  }

  template <class DifferenceOf>
  double marked(const Model& model, int first, int second, DifferenceOf difference) {
    int marked = 0;
    for (int run = 0; run < kRuns; ++run) {
      const TrajectoryScores a = draw(model, first);
      if (difference(a, draw(model, second)).beyond_chance()) ++marked;
    }
    return 100.0 * marked / kRuns;
  }

 private:
  std::mt19937 random_{1};
};

const std::vector<std::pair<int, int>> kSizes = {{4, 4}, {4, 12}, {6, 6}, {12, 12}, {24, 12}};
// Of a share of 5 in 100 in kRuns simulations chance makes up to this much more.
constexpr double kSlack = 1;

TEST(ChanceSimulation, TheCorrectnessIntervalHoldsTheTruthAsOftenAsItSays) {
  Simulation simulation;
  for (const Model& model : {kEven, kUneven, kAllOrNothing}) {
    for (const int count : {4, 6, 12, 24}) EXPECT_GT(simulation.held(model, count), 95 - kSlack);
  }
  EXPECT_GT(simulation.held(kRarelyCorrect, 12), 88);
}

TEST(ChanceSimulation, LikeCorrectnessesAreMarkedAtMostFiveTimesInAHundred) {
  Simulation simulation;
  for (const Model& model : {kEven, kUneven, kAllOrNothing}) {
    for (const auto& [first, second] : kSizes) {
      EXPECT_LT(simulation.marked(model, first, second, correctness_difference), 5 + kSlack);
    }
  }
  for (const auto& [first, second] : kSizes) {
    EXPECT_LT(simulation.marked(kRarelyCorrect, first, second, correctness_difference), 8);
  }
}

TEST(ChanceSimulation, LikeBestSpeedupsAreMarkedAtMostFiveTimesInAHundred) {
  Simulation simulation;
  for (const Model& model : {kEven, kUneven, kAllOrNothing, kRarelyCorrect}) {
    for (const auto& [first, second] : kSizes) {
      EXPECT_LT(simulation.marked(model, first, second, best_speedup_difference), 5 + kSlack);
    }
  }
}

TEST(ChanceSimulation, WhatFurtherTrajectoriesReachIsAsLikelyAsSaid) {
  Simulation simulation;
  for (const auto& [first, second] : kSizes) {
    int reached = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double least =
          *least_further_best(simulation.draw(kUneven, first), static_cast<std::size_t>(second));
      for (const TrajectoryScore& one : simulation.draw(kUneven, second)) {
        if (one.best_speedup < least) continue;
        ++reached;
        break;
      }
    }
    EXPECT_GT(100.0 * reached / kRuns, 97.5 - kSlack);
  }
}

// The numbers that a paper of 12 trajectories would print.
PaperCell printed(const TrajectoryScores& scores, PaperMetric metric) {
  double correct = 0;
  double turns = 0;
  double best = 0;
  for (const TrajectoryScore& one : scores) {
    correct += one.correct_turns;
    turns += one.turns;
    best = std::max(best, one.best_speedup);
  }
  PaperCell cell;
  cell.metric = metric;
  cell.text =
      metric == PaperMetric::kBestSpeedup ? speedup_text(best) : percent_text(correct / turns);
  if (cell.text == kNone) cell.text.clear();
  return cell;
}

TEST(ChanceSimulation, ARepeatOfThePaperIsNotUnexplainedMoreThanFiveTimesInAHundred) {
  Simulation simulation;
  const auto unexplained = [&](const Model& model, int ours, PaperMetric metric) {
    int count = 0;
    for (int run = 0; run < kRuns; ++run) {
      CheckedCell cell;
      cell.paper = printed(simulation.draw(model, 12), metric);
      explain_by_chance(simulation.draw(model, ours), cell);
      if (cell.cause == CheckedCell::Cause::kUnknown) ++count;
    }
    return 100.0 * count / kRuns;
  };
  for (const int ours : {4, 12, 24}) {
    for (const Model& model : {kEven, kUneven, kAllOrNothing}) {
      EXPECT_LT(unexplained(model, ours, PaperMetric::kTurnCorrectness), 5 + kSlack);
      EXPECT_LT(unexplained(model, ours, PaperMetric::kBestSpeedup), 2.5 + kSlack);
    }
    EXPECT_LT(unexplained(kRarelyCorrect, ours, PaperMetric::kTurnCorrectness), 8);
  }
}

// A test that marks nothing would pass all of the above.
TEST(ChanceSimulation, UnlikeResultsAreMarked) {
  Simulation simulation;
  const auto better = [](std::span<const TrajectoryScore> a, TrajectoryScores b) {
    for (TrajectoryScore& one : b) {
      one.best_speedup *= 4;
      one.correct_turns = std::min(one.turns, one.correct_turns + 4);
    }
    return std::pair{correctness_difference(a, b), best_speedup_difference(a, b)};
  };
  const auto correctness = [&](auto a, auto b) { return better(a, b).first; };
  const auto best = [&](auto a, auto b) { return better(a, b).second; };
  EXPECT_GT(simulation.marked(kUneven, 12, 12, correctness), 60);
  EXPECT_GT(simulation.marked(kUneven, 12, 12, best), 30);
}

}  // namespace
}  // namespace ptxbatch
