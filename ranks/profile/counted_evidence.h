// The dynamic half of the evidence on a GPU: for each kernel function that holds scanned
// instructions, one call of the candidate in a runner that counts how often each of that function's
// instructions was executed.
#pragma once

#include <functional>

#include "ranks/profile/evidence.h"
#include "ranks/profile/ncu_counter.h"

namespace ptxbatch {

struct CountingTools {
  std::function<Result<RunnerClient>()> start_runner;  // a ready runner of the kind that counts
  NcuCounter ncu;                                      // for what that runner could not count
  bool only_ncu = false;                               // to compare the two
};

/// `workload` is open at the keeper. An error is a failure of ours; what the candidate does wrong
/// here ends in kUnknown.
Result<Evidence> count_instructions(KeeperClient& keeper, const CountingTools& tools,
                                    const KeeperClient::OpenedWorkload& workload,
                                    const EvidenceTask& task);

}  // namespace ptxbatch
