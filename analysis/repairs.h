// Repairs in results: a turn that failed and the next turn of its trajectory, which is correct.
// What the model wrote beside the code of the latter says what was wrong.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_records.h"

namespace ptxbatch {

/// Points into the records that it was found in.
struct Repair {
  const ExperimentRecord* experiment = nullptr;
  const PlannedTrajectory* planned = nullptr;
  const TurnRecord* failed = nullptr;
  const TurnRecord* correct = nullptr;
  std::string rationale;  // empty when the reply was nothing but code
};

/// In the order of the trajectories. A failed turn counts when it had a candidate and the failure
/// was its own.
std::vector<Repair> find_repairs(std::span<const RunRecords> runs);

/// A reply without its fenced blocks, blank lines at its ends and several in a row.
std::string text_outside_code(std::string_view reply);

}  // namespace ptxbatch
