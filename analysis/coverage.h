// A stricter reading of "executed the target instruction": that it did a share of the work.
#pragma once

#include "results/turn_table.h"

namespace ptxbatch {

/// Turns whose executed instructions cover less than `least` of the problem's operations no longer
/// count as present; those whose coverage is unknown become unknown.
void require_coverage(TurnTable& table, double least);

}  // namespace ptxbatch
