// What chance does to the best speedup of some trajectories. A sample says nothing of what lies
// above its best, so that there is no interval for the best itself; what can be said follows from
// order alone, exactly and whatever the speedups' distribution: of n + m like trajectories the k
// best all belong to the n with probability n(n-1)... / (n+m)(n+m-1)..., k factors each.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/intervals.h"
#include "analysis/trajectory_scores.h"

namespace ptxbatch {

/// What the best of `others` further trajectories reaches in at least 97.5 % of cases if they are
/// like these; 0: none need be correct. There is no upper end. Nothing below kLeastTrajectories.
std::optional<double> least_further_best(std::span<const TrajectoryScore> trajectories,
                                         std::size_t others);

/// first - second with the p-value of a two-sided permutation test: how often the bests of two
/// groups of these sizes are at least as far apart when the trajectories of both are dealt out
/// anew. Computed exactly, without drawing.
Difference best_speedup_difference(std::span<const TrajectoryScore> first,
                                   std::span<const TrajectoryScore> second);

}  // namespace ptxbatch
