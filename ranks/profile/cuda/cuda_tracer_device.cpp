#include "ranks/profile/cuda/cuda_tracer_device.h"

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {

Result<TimedCall> CudaTracerDevice::time_call(const std::function<void()>& call) {
  TimedCall timed;
  const CUresult result = counter_.count(call);
  if (result != CUDA_SUCCESS) {
    timed.device_error = result;
    timed.device_fault = cuda_error_text(result);
  }
  return timed;
}

}  // namespace ptxbatch
