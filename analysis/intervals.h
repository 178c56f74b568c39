// 95 % intervals of what tables print, and of differences between two results. The unit of chance
// is the trajectory: its turns build on each other.
#pragma once

#include <span>

#include "analysis/trajectory_scores.h"

namespace ptxbatch {

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
/// least the trajectories and at most the turns. No trajectories: 0 to 1.
Interval correctness_interval(std::span<const TrajectoryScore> trajectories);

/// Of the share of trajectories with a correct turn: Wilson's.
Interval pass_interval(std::span<const TrajectoryScore> trajectories);

/// Of the best speedup: percentiles of the bootstrap over trajectories, computed exactly. What is
/// better than the best seen is beyond any bootstrap, so it never ends above that.
Interval best_speedup_interval(std::span<const TrajectoryScore> trajectories);

/// first - second, and whether 0 lies outside the interval.
struct Difference {
  double value = 0;
  Interval interval;

  [[nodiscard]] bool beyond_chance() const { return !interval.contains(0); }
};

/// Of two turn correctnesses: Newcombe's hybrid score interval from the two intervals above
/// (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10).
Difference correctness_difference(std::span<const TrajectoryScore> first,
                                  std::span<const TrajectoryScore> second);

/// Of two best speedups: percentiles of the difference of independent bootstraps, exact.
Difference best_speedup_difference(std::span<const TrajectoryScore> first,
                                   std::span<const TrajectoryScore> second);

}  // namespace ptxbatch
