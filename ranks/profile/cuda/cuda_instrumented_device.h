// The device of a runner under a tool (compute-sanitizer, Nsight Compute): tensors in plain memory
// of exactly their size, so that the tool knows their bounds, inputs copied out of the keeper's.
// Its calls have no time.
#pragma once

#include "ranks/profile/cuda/cuda_runner_device.h"

namespace ptxbatch {

class CudaInstrumentedDevice final : public CudaRunnerBase {
 public:
  explicit CudaInstrumentedDevice(int rank_on_host) : CudaRunnerBase(rank_on_host) {}

  /// An input is copied as it is now. An output is copied back after a call; before, nothing is
  /// written to it, so that reading it is a fault to initcheck.
  Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                           const std::string& name) override;
  Result<TimedCall> time_call(const std::function<void()>& call) override;
  [[nodiscard]] SandboxPolicy sandbox_additions() const override;

 private:
  struct Output {
    CUdeviceptr own;
    SharedTensor shared;
  };
  std::vector<DeviceBuffer> tensors_;
  std::vector<Output> outputs_;
};

}  // namespace ptxbatch
