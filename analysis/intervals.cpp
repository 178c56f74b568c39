#include "analysis/intervals.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ptxbatch {
namespace {

constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %
constexpr double kTail = 0.025;

struct Correctness {
  double share = 0;
  double independent_turns = 0;
};

Correctness correctness_of(std::span<const TrajectoryScore> trajectories) {
  double correct = 0;
  double turns = 0;
  for (const TrajectoryScore& one : trajectories) {
    correct += one.correct_turns;
    turns += one.turns;
  }
  const auto count = static_cast<double>(trajectories.size());
  if (turns == 0) return {};
  const double share = correct / turns;
  // With no spread at all, that of the trajectories is all there is to go by.
  if (trajectories.size() < 2 || share == 0 || share == 1) return {share, count};
  double squares = 0;
  for (const TrajectoryScore& one : trajectories) {
    const double residual = one.correct_turns - share * one.turns;
    squares += residual * residual;
  }
  const double variance = squares * count / (count - 1) / (turns * turns);
  const double independent = variance == 0 ? turns : share * (1 - share) / variance;
  return {share, std::clamp(independent, count, std::max(count, turns))};
}

Interval interval_of(const Correctness& of) {
  return wilson_interval(of.share, of.independent_turns);
}

// A value that the bootstrapped maximum can take, and how likely it is.
struct Outcome {
  double value = 0;
  double probability = 0;
};

// The greatest of n draws, with replacement, from n values: it is at most the k-th smallest with
// probability (k/n)^n. Falls off so fast that only the greatest few matter.
std::vector<Outcome> bootstrapped_best(std::span<const TrajectoryScore> trajectories) {
  std::vector<double> best;
  best.reserve(trajectories.size());
  for (const TrajectoryScore& one : trajectories) best.push_back(one.best_speedup);
  std::sort(best.begin(), best.end(), std::greater<>());
  constexpr double kNegligible = 1e-9;
  const auto count = static_cast<double>(best.size());
  std::vector<Outcome> outcomes;
  double at_most = 1;
  for (std::size_t i = 0; i < best.size() && at_most > kNegligible; ++i) {
    const double below = std::pow((count - static_cast<double>(i) - 1) / count, count);
    outcomes.push_back({best[i], at_most - below});
    at_most = below;
  }
  std::reverse(outcomes.begin(), outcomes.end());
  return outcomes;
}

// Of outcomes in ascending order.
double quantile(const std::vector<Outcome>& outcomes, double share) {
  double sum = 0;
  for (const Outcome& outcome : outcomes) {
    sum += outcome.probability;
    if (sum >= share) return outcome.value;
  }
  return outcomes.empty() ? 0 : outcomes.back().value;
}

double best_of(std::span<const TrajectoryScore> trajectories) {
  double best = 0;
  for (const TrajectoryScore& one : trajectories) best = std::max(best, one.best_speedup);
  return best;
}

double hypotenuse(double a, double b) {
  return std::sqrt(a * a + b * b);
}

}  // namespace

Interval wilson_interval(double share, double count) {
  if (count <= 0) return {0, 1};
  const double z2 = kNormalQuantile * kNormalQuantile;
  const double centre = (share + z2 / (2 * count)) / (1 + z2 / count);
  const double half = kNormalQuantile / (1 + z2 / count) *
                      std::sqrt(share * (1 - share) / count + z2 / (4 * count * count));
  // At the ends the formula gives them but for rounding.
  return {share == 0 ? 0 : std::max(0.0, centre - half),
          share == 1 ? 1 : std::min(1.0, centre + half)};
}

Interval correctness_interval(std::span<const TrajectoryScore> trajectories) {
  return interval_of(correctness_of(trajectories));
}

Interval pass_interval(std::span<const TrajectoryScore> trajectories) {
  if (trajectories.empty()) return {0, 1};
  const auto solved =
      std::count_if(trajectories.begin(), trajectories.end(),
                    [](const TrajectoryScore& one) { return one.correct_turns > 0; });
  const auto count = static_cast<double>(trajectories.size());
  return wilson_interval(static_cast<double>(solved) / count, count);
}

Interval best_speedup_interval(std::span<const TrajectoryScore> trajectories) {
  const auto outcomes = bootstrapped_best(trajectories);
  return {quantile(outcomes, kTail), quantile(outcomes, 1 - kTail)};
}

Difference correctness_difference(std::span<const TrajectoryScore> first,
                                  std::span<const TrajectoryScore> second) {
  const Correctness a = correctness_of(first);
  const Correctness b = correctness_of(second);
  const Interval of_a = interval_of(a);
  const Interval of_b = interval_of(b);
  const double value = a.share - b.share;
  return {value,
          {value - hypotenuse(a.share - of_a.low, of_b.high - b.share),
           value + hypotenuse(of_a.high - a.share, b.share - of_b.low)}};
}

Difference best_speedup_difference(std::span<const TrajectoryScore> first,
                                   std::span<const TrajectoryScore> second) {
  std::vector<Outcome> differences;
  const auto of_second = bootstrapped_best(second);
  for (const Outcome& a : bootstrapped_best(first)) {
    for (const Outcome& b : of_second) {
      differences.push_back({a.value - b.value, a.probability * b.probability});
    }
  }
  std::sort(differences.begin(), differences.end(),
            [](const Outcome& a, const Outcome& b) { return a.value < b.value; });
  return {best_of(first) - best_of(second),
          {quantile(differences, kTail), quantile(differences, 1 - kTail)}};
}

}  // namespace ptxbatch
