#include "results/experiment_versions.h"

#include <algorithm>

namespace ptxbatch {

bool extends(const ExperimentRecord& later, const ExperimentRecord& earlier) {
  return later.name == earlier.name && later.turns >= earlier.turns &&
         later.target_speedup == earlier.target_speedup &&
         later.trajectories.size() >= earlier.trajectories.size() &&
         std::equal(earlier.trajectories.begin(), earlier.trajectories.end(),
                    later.trajectories.begin());
}

}  // namespace ptxbatch
