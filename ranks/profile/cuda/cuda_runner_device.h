// The runner's device on the GPU targets: the keeper's memory mapped, inputs read-only, and a
// call's span from CUPTI's records.
#pragma once

#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/runner_device.h"

namespace ptxbatch {

/// What every runner on a GPU has: the context, the keeper's tensors mapped for the life of the
/// process, and what the driver needs of the sandbox. How a call is observed is left open.
class CudaRunnerBase : public RunnerDevice {
 public:
  [[nodiscard]] DLDevice dl_device() const override { return {kDLCUDA, gpu_.ordinal()}; }
  Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                           const std::string& name) override;
  [[nodiscard]] bool limits_addresses() const override { return false; }
  [[nodiscard]] bool allows_system_libraries() const override { return false; }
  [[nodiscard]] SandboxPolicy sandbox_additions() const override;
  // A GPU's faults come as errors of its driver, without an address.
  [[nodiscard]] std::vector<FaultRegion> fault_regions() const override { return {}; }

 protected:
  explicit CudaRunnerBase(int rank_on_host) : gpu_(rank_on_host) {}
  /// The keeper's tensor, inputs read-only.
  Result<SharedTensor> import_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                                     const std::string& name);

 private:
  GpuContext gpu_;
  std::vector<SharedTensor> tensors_;
};

/// The call that ended in this error of the driver.
TimedCall faulted_call(CUresult error);

class CudaRunnerDevice final : public CudaRunnerBase {
 public:
  /// Makes the context and starts the recording of activity.
  explicit CudaRunnerDevice(int rank_on_host);
  Result<TimedCall> time_call(const std::function<void()>& call) override;
};

}  // namespace ptxbatch
