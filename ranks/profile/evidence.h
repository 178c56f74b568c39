// The dynamic half of the evidence on the host target: one call of the candidate under breakpoints
// on the scanned instructions, in a process of its own that is never timed.
#pragma once

#include <string>

#include "ranks/profile/keeper_client.h"
#include "ranks/profile/runner_client.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct EvidenceTask {
  const Problem& problem;
  const std::string& binary;
  const StaticScan& scan;
  Tolerance tolerance;
  double budget_s = 0;
  // Whether the instructions' text tells how much each computes: on Blackwell a descriptor does.
  bool coverage_is_known = false;
};

/// In a ready runner that was started traced; `workload` is open at the keeper. An error is a
/// failure of ours; what the candidate does wrong here ends in kUnknown.
Result<Evidence> run_under_breakpoints(KeeperClient& keeper, RunnerClient& runner,
                                       const KeeperClient::OpenedWorkload& workload,
                                       const EvidenceTask& task);

}  // namespace ptxbatch
