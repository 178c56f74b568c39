// What `ptxbatch show` prints: the trajectories of a run, the turns of a trajectory, or the whole
// story of one turn. Texts of models and tools reach the terminal without control characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/run_records.h"

namespace ptxbatch {

/// A trajectory named by its index or, where only one has it, by its id ("exp_003").
Result<std::int32_t> find_trajectory(const ExperimentRecord& experiment, const std::string& path,
                                     const std::string& name);

/// `width`: columns to stay within; 0: as wide as it needs.
std::string show_trajectories(const RunRecords& run, std::size_t width);
std::string show_trajectory(const RunRecords& run, std::int32_t trajectory, std::size_t width);
/// The different prompts of a run and the first trajectory that began with each.
std::string show_prompts(const RunRecords& run, std::size_t width);
/// What a model was given, as a JSON array of {role, content}: the messages that the trajectory
/// began with or, with a turn (counted from 0), all that stood before its reply of that turn.
Result<std::string> given_messages(const RunRecords& run, std::int32_t trajectory,
                                   std::optional<std::int32_t> turn);
/// Such an array as text: each message below its role and size, nothing indented.
Result<std::string> show_messages(const std::string& messages_json, std::size_t width);
/// kUsage when the trajectory has no such turn (counted from 0).
Result<std::string> show_turn(const RunRecords& run, std::int32_t trajectory, std::int32_t turn,
                              std::size_t width);

}  // namespace ptxbatch
