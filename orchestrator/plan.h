// The plan: an experiment spelt out as trajectories, in a fixed order.
#pragma once

#include <string>
#include <vector>

#include "ranks/experiment.h"
#include "results/records.h"

namespace ptxbatch {

/// model x target x problem x prompt tag x replica, the last running fastest. Ids count within
/// (model, target, problem): exp_000, exp_001, ...
std::vector<PlannedTrajectory> expand_plan(const Experiment& experiment);

/// What `ptxbatch plan` prints: a line for each model, target and problem, and the totals.
std::string describe_plan(const Experiment& experiment, const std::vector<PlannedTrajectory>& plan);

}  // namespace ptxbatch
