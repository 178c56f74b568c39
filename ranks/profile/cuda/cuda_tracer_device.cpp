#include "ranks/profile/cuda/cuda_tracer_device.h"

namespace ptxbatch {

Result<TimedCall> CudaTracerDevice::time_call(const std::function<void()>& call) {
  const CUresult result = counter_.count(call);
  return result == CUDA_SUCCESS ? TimedCall{} : faulted_call(result);
}

}  // namespace ptxbatch
