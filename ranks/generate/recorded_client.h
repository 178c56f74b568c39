// The recorded model: replies read from files, one a turn, FOLDER/DEFINITION/exp_000/turn_0.md,
// with the recorded latency replayed at a chosen scale. An optional turn_0.json beside a reply
// holds {latency_s, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, reasoning,
// model, response_id, end}.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"
#include "ranks/generate/model_client.h"

namespace ptxbatch {

std::unique_ptr<ModelClient> make_recorded_client(const ModelSpec& model, double timeout_s);

/// The recorded reply of one turn; an error names the file that is missing or wrong. When the
/// recording simply ends before this turn, `end_without_reply` says so.
Result<ModelReply> read_recorded_reply(const std::string& replies_folder,
                                       const PlannedTrajectory& trajectory, int turn);

/// Looks for a trajectory's replies before a run begins: its folder, turn 0, and no gap between
/// turns.
Status check_recorded_replies(const std::string& replies_folder,
                              const PlannedTrajectory& trajectory, int turns);

}  // namespace ptxbatch
