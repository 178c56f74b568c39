// What can be looked at before a run begins.
#pragma once

#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// Every target has its knowledge pack and a reference for every problem, every prompt assembles
/// and fits its model, every recorded model has its replies, and a limit on the cost can be kept.
std::vector<Error> check_inputs(const Experiment& experiment);

}  // namespace ptxbatch
