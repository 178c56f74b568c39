// The runner's device on the host target: memfd mappings between guard pages, and the steady clock.
#pragma once

#include "ranks/profile/runner_device.h"
#include "ranks/profile/shared_memory.h"

namespace ptxbatch {

class HostRunnerDevice final : public RunnerDevice {
 public:
  [[nodiscard]] DLDevice dl_device() const override { return {kDLCPU, 0}; }
  Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                           const std::string& name) override;
  Result<TimedCall> time_call(const std::function<void()>& call) override;
  [[nodiscard]] bool limits_addresses() const override { return true; }
  [[nodiscard]] bool allows_system_libraries() const override { return true; }
  [[nodiscard]] SandboxPolicy sandbox_additions() const override { return {}; }
  [[nodiscard]] std::vector<FaultRegion> fault_regions() const override;

 private:
  struct MappedTensor {
    GuardedMapping mapping;
    std::string name;
    bool output;
  };
  std::vector<MappedTensor> tensors_;
};

}  // namespace ptxbatch
