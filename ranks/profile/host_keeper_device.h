// The keeper's device on the host target: state in memfds, OpenBLAS as the reference, one thread.
#pragma once

#include "ranks/profile/keeper_device.h"

namespace ptxbatch {

/// `core` is where this process is pinned; it is named in info().
class HostKeeperDevice final : public KeeperDevice {
 public:
  explicit HostKeeperDevice(int core) : core_(core) {}
  [[nodiscard]] DeviceInfo info() const override;
  Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                       std::uint64_t input_seed,
                                                       std::size_t input_sets) override;

 private:
  int core_;
};

}  // namespace ptxbatch
