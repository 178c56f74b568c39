// How a file's speedups were measured, as far as its experiment says: what must agree before two
// files' speedups are held against each other.
#pragma once

#include <string>

#include "analysis/conditions.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// "medians of 50 calls after 10, reference measured once, the operator's own number of trials".
/// Equal texts are equal methods.
std::string timing_method(const TurnTable& table, SpeedupKind kind);

/// Whether correct turns have a speedup of this kind at all.
bool has_speedups(const TurnTable& table, SpeedupKind kind);

}  // namespace ptxbatch
