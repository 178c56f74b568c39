// The workloads that are resident on a device, within a budget of memory: the one used longest ago
// goes first, and never the one just asked for.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "ranks/profile/keeper_device.h"

namespace ptxbatch {

/// What a workload's state takes: all sets of inputs and reference outputs, and one more of each
/// that is shown to runners.
std::uint64_t expected_state_bytes(const Problem& problem, std::size_t input_sets);

class WorkloadStore {
 public:
  WorkloadStore(KeeperDevice& device, std::uint64_t budget_bytes)
      : device_(device), budget_bytes_(budget_bytes) {}

  /// The state of this workload, made when it is not resident. Valid until the next call.
  Result<WorkloadState*> open(const OpenWorkload& request);

 private:
  struct Entry {
    std::string key;
    std::unique_ptr<WorkloadState> state;
  };
  /// Drops what was used longest ago until the rest fits; never `wanted`.
  void evict_down_to(std::uint64_t limit_bytes, const WorkloadState* wanted);

  KeeperDevice& device_;
  std::uint64_t budget_bytes_;
  std::list<Entry> entries_;  // most recently used first
};

}  // namespace ptxbatch
