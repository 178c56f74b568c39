// What no schedule can beat: the largest of the times that each resource needs for all of its work,
// and of the longest trajectory, whose turns follow one another.
#pragma once

#include <string>
#include <vector>

#include "tests/simulator/virtual_rank.h"
#include "tests/simulator/work_model.h"

namespace ptxbatch {

struct Bound {
  std::string name;
  double seconds = 0;
};

/// All bounds, each with the ranks' start and, where the device is waited for, a first workload.
std::vector<Bound> lower_bounds(const Experiment& experiment, const WorkModel& work,
                                const VirtualRankSettings& settings, int ranks);

const Bound& binding(const std::vector<Bound>& bounds);

}  // namespace ptxbatch
