// The keeper's device on the GPU targets: inputs and reference outputs resident on the GPU, outputs
// that a runner writes, the reference and its timing. Failed calls throw CudaFailure and end the
// process.
#pragma once

#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/cuda/gpu_monitor.h"
#include "ranks/profile/keeper_device.h"

namespace ptxbatch {

class CudaKeeperDevice final : public KeeperDevice {
 public:
  explicit CudaKeeperDevice(const GpuContext& gpu) : gpu_(gpu), monitor_(gpu.uuid()) {}

  [[nodiscard]] DeviceInfo info() const override;
  [[nodiscard]] std::optional<DeviceReading> read() const override { return monitor_.read(); }
  [[nodiscard]] DeviceErrors take_errors() override { return monitor_.take_errors(); }
  Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                       std::uint64_t input_seed,
                                                       std::size_t input_sets) override;

 private:
  const GpuContext& gpu_;
  GpuMonitor monitor_;
};

}  // namespace ptxbatch
