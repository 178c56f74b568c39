#include "analysis/intervals.h"

#include <algorithm>
#include <cmath>

namespace ptxbatch {
namespace {

constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %

struct Correctness {
  double share = 0;
  double independent_turns = 0;
  std::size_t trajectories = 0;
};

// Wilson's interval for another quantile than the normal one.
Interval score_interval(double share, double count, double quantile) {
  const double q2 = quantile * quantile / count;
  const double centre = (share + q2 / 2) / (1 + q2);
  const double half = std::sqrt(q2 * (share * (1 - share) + q2 / 4)) / (1 + q2);
  // At the ends the formula gives them but for rounding.
  return {share == 0 ? 0 : std::max(0.0, centre - half),
          share == 1 ? 1 : std::min(1.0, centre + half)};
}

// Student's, of 97.5 %: the expansion of Abramowitz and Stegun, 26.7.5; from 3 degrees of freedom
// on it is within 0.3 %.
double student_quantile(double freedom) {
  const double z = kNormalQuantile;
  const double z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom;
}

Correctness correctness_of(std::span<const TrajectoryScore> trajectories) {
  double correct = 0;
  double turns = 0;
  for (const TrajectoryScore& one : trajectories) {
    correct += one.correct_turns;
    turns += one.turns;
  }
  if (turns == 0) return {};
  const auto count = static_cast<double>(trajectories.size());
  const double share = correct / turns;
  // With no spread at all, that of the trajectories is all there is to go by.
  if (trajectories.size() < 2 || share == 0 || share == 1)
    return {share, count, trajectories.size()};
  double squares = 0;
  for (const TrajectoryScore& one : trajectories) {
    const double residual = one.correct_turns - share * one.turns;
    squares += residual * residual;
  }
  const double variance = squares * count / (count - 1) / (turns * turns);
  const double independent = variance == 0 ? turns : share * (1 - share) / variance;
  return {share, std::clamp(independent, count, std::max(count, turns)), trajectories.size()};
}

std::optional<Interval> interval_of(const Correctness& of) {
  if (of.trajectories < kLeastTrajectories) return std::nullopt;
  return score_interval(of.share, of.independent_turns,
                        student_quantile(static_cast<double>(of.trajectories) - 1));
}

double hypotenuse(double a, double b) {
  return std::sqrt(a * a + b * b);
}

Difference difference_of(const Correctness& a, const Correctness& b) {
  const double value = a.share - b.share;
  const auto of_a = interval_of(a);
  const auto of_b = interval_of(b);
  if (!of_a || !of_b) return {value, {}, {}};
  return {value,
          Interval{value - hypotenuse(a.share - of_a->low, of_b->high - b.share),
                   value + hypotenuse(of_a->high - a.share, b.share - of_b->low)},
          {}};
}

}  // namespace

Interval wilson_interval(double share, double count) {
  return count <= 0 ? Interval{0, 1} : score_interval(share, count, kNormalQuantile);
}

std::optional<Interval> correctness_interval(std::span<const TrajectoryScore> trajectories) {
  return interval_of(correctness_of(trajectories));
}

std::optional<Interval> pass_interval(std::span<const TrajectoryScore> trajectories) {
  if (trajectories.size() < kLeastTrajectories) return std::nullopt;
  const auto solved =
      std::count_if(trajectories.begin(), trajectories.end(),
                    [](const TrajectoryScore& one) { return one.correct_turns > 0; });
  const auto count = static_cast<double>(trajectories.size());
  return wilson_interval(static_cast<double>(solved) / count, count);
}

Difference correctness_difference(std::span<const TrajectoryScore> first,
                                  std::span<const TrajectoryScore> second) {
  return difference_of(correctness_of(first), correctness_of(second));
}

Difference correctness_difference_from(std::span<const TrajectoryScore> first, double share,
                                       std::size_t trajectories) {
  const Correctness a = correctness_of(first);
  const double independent = a.trajectories == 0 ? 0 : a.independent_turns / a.trajectories;
  return difference_of(a, {share, independent * static_cast<double>(trajectories), trajectories});
}

}  // namespace ptxbatch
