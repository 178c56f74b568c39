// What `ptxbatch show` prints: the trajectories of a run, the turns of a trajectory, or the whole
// story of one turn. Texts of models and tools reach the terminal without control characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/run_records.h"

namespace ptxbatch {

/// A trajectory named by its index or, where only one has it, by its id ("exp_003").
Result<std::int32_t> find_trajectory(const ExperimentRecord& experiment, const std::string& path,
                                     const std::string& name);

/// `width`: columns to stay within; 0: as wide as it needs.
std::string show_trajectories(const RunRecords& run, std::size_t width);
std::string show_trajectory(const RunRecords& run, std::int32_t trajectory, std::size_t width);
/// kUsage when the trajectory has no such turn (counted from 0).
Result<std::string> show_turn(const RunRecords& run, std::int32_t trajectory, std::int32_t turn,
                              std::size_t width);

}  // namespace ptxbatch
