// Whether chance may make the difference between a number of the paper's and ours: the paper's
// comes from few trajectories too, of which it prints nothing but that number.
#pragma once

#include "analysis/paper_check.h"
#include "analysis/trajectory_scores.h"

namespace ptxbatch {

/// Sets cause and reason of a cell that differs; `ours`: the trajectories behind our number.
void explain_by_chance(const TrajectoryScores& ours, CheckedCell& cell);

}  // namespace ptxbatch
