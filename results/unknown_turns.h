// Correct turns whose dynamic profile is unknown. The published file counts them by run and turn
// limit; it does not say which turns they are. Columns: run, turn_limit, n_trajectories,
// trajectories_correct_with_target, correct_turns, unknown_correct_turns.
#pragma once

#include <string>
#include <vector>

#include "results/published_turns.h"

namespace ptxbatch {

/// Marks as many turns of `runs` unknown as the file counts. Of the turns that agree with its
/// counts (of turns, and of trajectories with a turn that has the target instruction) the last are
/// taken. Gives back what could not be brought into agreement, a sentence each. A run that the
/// turns do not have, or another number of correct turns, is an error.
Result<std::vector<std::string>> mark_unknown_turns(const std::string& path,
                                                    std::vector<PublishedRun>& runs);

}  // namespace ptxbatch
