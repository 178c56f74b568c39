// An experiment may be extended while or after it runs: more turns, more trajectories. The journal
// then holds its record again, whole, and a results file a row more in /experiments.
#pragma once

#include "results/records.h"

namespace ptxbatch {

/// Whether `later` is `earlier` with nothing changed in its plan but trajectories behind its end,
/// and no fewer turns.
bool extends(const ExperimentRecord& later, const ExperimentRecord& earlier);

}  // namespace ptxbatch
