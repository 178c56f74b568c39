// What decides whether a turn is correct, and when a trajectory stops, as far as a file's
// experiment says: what must agree before two files' correctnesses are held against each other.
#pragma once

#include <string>
#include <vector>

#include "results/turn_table.h"

namespace ptxbatch {

/// "abs_tolerance is 0.01 in the first file and 0.001 in the second", for each setting that
/// differs: tolerances, sanitizers, what ends a trajectory, budgets. The number of trials is in
/// timing_method.h; the seed of the inputs judges nobody differently.
std::vector<std::string> judging_differences(const TurnTable& first, const TurnTable& second);

}  // namespace ptxbatch
