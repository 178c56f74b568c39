// Counting a kernel function's instructions with Nsight Compute: the fall-back for what cannot be
// counted inside the process, and the cross-check in tests. Several times slower.
#pragma once

#include <string>

#include "ranks/profile/evidence.h"
#include "ranks/profile/keeper_client.h"
#include "ranks/profile/runner_client.h"

namespace ptxbatch {

struct NcuCounter {
  std::string program;  // ncu; empty: there is none
  RunnerSpec runner;    // of the instrumented program
};

/// One call of the candidate under ncu, on the prepared inputs; its outputs are the keeper's to
/// check. An error is text for the record.
tl::expected<FunctionCounts, std::string> count_with_ncu(
    const NcuCounter& counter, const KeeperClient::OpenedWorkload& workload,
    const EvidenceTask& task, const std::string& function, double budget_s);

/// The counts in what `ncu --page source --csv` prints, of all launches together. An error says
/// what is not as it should be.
tl::expected<FunctionCounts, std::string> parse_ncu_counts(const std::string& log);

}  // namespace ptxbatch
