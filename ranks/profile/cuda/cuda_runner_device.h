// The runner's device on the GPU targets: the keeper's memory mapped, inputs read-only, and a
// call's span from CUPTI's records.
#pragma once

#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/runner_device.h"

namespace ptxbatch {

/// What the driver needs of a sandbox around a process that has its context already.
SandboxPolicy cuda_sandbox_additions();

/// The keeper's tensors, mapped for the life of the process.
class MappedTensors {
 public:
  Result<void*> map(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                    const std::string& name, CUdevice device);

 private:
  std::vector<SharedTensor> tensors_;
};

class CudaRunnerDevice final : public RunnerDevice {
 public:
  /// Makes the context and starts the recording of activity.
  explicit CudaRunnerDevice(int rank_on_host);

  [[nodiscard]] DLDevice dl_device() const override { return {kDLCUDA, gpu_.ordinal()}; }
  Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                           const std::string& name) override {
    return tensors_.map(mapping, std::move(fds), name, gpu_.device());
  }
  Result<TimedCall> time_call(const std::function<void()>& call) override;
  [[nodiscard]] bool limits_addresses() const override { return false; }
  [[nodiscard]] bool allows_system_libraries() const override { return false; }
  [[nodiscard]] SandboxPolicy sandbox_additions() const override {
    return cuda_sandbox_additions();
  }
  // A GPU's faults come as errors of its driver, without an address.
  [[nodiscard]] std::vector<FaultRegion> fault_regions() const override { return {}; }

 private:
  GpuContext gpu_;
  MappedTensors tensors_;
};

}  // namespace ptxbatch
