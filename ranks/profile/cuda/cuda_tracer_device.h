// The device of a runner that counts instructions. Maps and locks down as every GPU runner does;
// its calls have no time.
#pragma once

#include "ranks/profile/cuda/cuda_runner_device.h"
#include "ranks/profile/cuda/sass_counter.h"

namespace ptxbatch {

class CudaTracerDevice final : public CudaRunnerBase {
 public:
  explicit CudaTracerDevice(int rank_on_host) : CudaRunnerBase(rank_on_host) {}

  Result<TimedCall> time_call(const std::function<void()>& call) override;
  Status count_function(const std::string& function) override {
    counter_.watch(function);
    return {};
  }
  Result<FunctionCounts> take_counts() override { return counter_.take_counts(); }

 private:
  SassCounter counter_;  // after the base's context, which it needs
};

}  // namespace ptxbatch
