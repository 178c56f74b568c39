// The device of a runner that counts instructions. Maps and locks down as every GPU runner does;
// its calls have no time.
#pragma once

#include "ranks/profile/cuda/cuda_runner_device.h"
#include "ranks/profile/cuda/sass_counter.h"

namespace ptxbatch {

class CudaTracerDevice final : public RunnerDevice {
 public:
  explicit CudaTracerDevice(int rank_on_host) : gpu_(rank_on_host) {}

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
  [[nodiscard]] std::vector<FaultRegion> fault_regions() const override { return {}; }

  Status count_function(const std::string& function) override {
    counter_.watch(function);
    return {};
  }
  Result<FunctionCounts> take_counts() override { return counter_.take_counts(); }

 private:
  GpuContext gpu_;
  SassCounter counter_;
  MappedTensors tensors_;
};

}  // namespace ptxbatch
