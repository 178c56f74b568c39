// The user message that answers a turn, made from its facts and capped to a token budget.
#pragma once

#include <string>

#include "ranks/experiment.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

std::string make_feedback(const TurnFacts& facts, const Problem& problem, const TargetSpec& target,
                          const ProtocolSettings& protocol, int max_tokens);

}  // namespace ptxbatch
