// 95 % intervals of shares that tables print, and of differences between two results. The unit of
// chance is the trajectory: its turns build on each other. Those of best speedups are in
// best_speedups.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/trajectory_scores.h"

namespace ptxbatch {

/// Fewer trajectories have no interval, and no difference from them is told from chance: how much
/// they vary cannot be seen in two or three.
inline constexpr std::size_t kLeastTrajectories = 4;

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

/// Wilson's score interval of a share seen in `count` independent trials (which need not be whole;
/// E. B. Wilson, JASA 22, 1927).
Interval wilson_interval(double share, double count);

/// Of turn correctness: Wilson's with the number of independent turns that would vary as much as
/// these trajectories do (the ratio estimator's variance, turns clustered in trajectories), at
/// least the trajectories and at most the turns; with Student's quantile of one degree of freedom
/// less than trajectories, since that number is itself estimated from them (the same as dividing
/// it by (t/z)^2: E. L. Korn and B. I. Graubard, Survey Methodology 24, 1998). Nothing below
/// kLeastTrajectories.
std::optional<Interval> correctness_interval(std::span<const TrajectoryScore> trajectories);

/// Of the share of trajectories with a correct turn: Wilson's. Nothing below kLeastTrajectories.
std::optional<Interval> pass_interval(std::span<const TrajectoryScore> trajectories);

/// first - second, and what chance has to do with it: an interval or a probability, whichever the
/// number has; neither where a side has fewer than kLeastTrajectories.
struct Difference {
  double value = 0;
  std::optional<Interval> interval;
  std::optional<double> p_value;

  [[nodiscard]] bool judged() const { return interval || p_value; }
  [[nodiscard]] bool beyond_chance() const {
    constexpr double kLevel = 0.05;
    return (interval && !interval->contains(0)) || (p_value && *p_value <= kLevel);
  }
};

/// Of two turn correctnesses: Newcombe's hybrid score interval from the two intervals above
/// (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10).
Difference correctness_difference(std::span<const TrajectoryScore> first,
                                  std::span<const TrajectoryScore> second);
/// The same where of the second only the share and the number of trajectories is known: they are
/// taken to vary as the first's do.
Difference correctness_difference_from(std::span<const TrajectoryScore> first, double share,
                                       std::size_t trajectories);

}  // namespace ptxbatch
