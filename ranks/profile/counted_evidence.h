// The dynamic half of the evidence on a GPU: for each kernel function that holds scanned
// instructions, one call of the candidate in a runner that counts how often each of that function's
// instructions was executed.
#pragma once

#include <functional>

#include "ranks/profile/evidence.h"

namespace ptxbatch {

/// `start_runner` gives a ready runner of the kind that counts; `workload` is open at the keeper.
/// An error is a failure of ours; what the candidate does wrong here ends in kUnknown.
Result<Evidence> count_instructions(KeeperClient& keeper,
                                    const std::function<Result<RunnerClient>()>& start_runner,
                                    const KeeperClient::OpenedWorkload& workload,
                                    const EvidenceTask& task);

}  // namespace ptxbatch
