// The sanitize stage: one call of the candidate in a runner under compute-sanitizer, with tensors
// in memory of exactly their size. The verdict is the tool's exit code; its report, XML that only
// the tool can write to, gives the text.
#pragma once

#include <string>

#include "ranks/profile/keeper_client.h"
#include "ranks/profile/runner_client.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct SanitizeTask {
  const Problem& problem;
  const std::string& binary;
  std::string program;  // compute-sanitizer
  std::string tool;     // one of its tools: "memcheck"
  RunnerSpec runner;    // the program that keeps tensors in memory of its own
  double budget_s = 0;  // for the candidate's load and call
};

/// `workload` is open at the keeper. An error is a lost keeper; everything else, a tool that dies
/// or hangs too, is an outcome.
Result<Sanitization> sanitize_candidate(KeeperClient& keeper,
                                        const KeeperClient::OpenedWorkload& workload,
                                        const SanitizeTask& task);

}  // namespace ptxbatch
