#include "ranks/profile/cuda/cuda_runner_device.h"

#include <seccomp.h>

#include "ranks/profile/cuda/activity_trace.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_pointer.h"

namespace ptxbatch {

SandboxPolicy CudaRunnerBase::sandbox_additions() const {
  SandboxPolicy policy;
  for (int gpu = 0; gpu < 16; ++gpu) {
    policy.writable.push_back("/dev/nvidia" + std::to_string(gpu));
  }
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}) {
    policy.writable.emplace_back(path);
  }
  // Work is handed to the GPU through ioctl and mapped memory; the driver waits on event
  // descriptors and asks for the place of memory.
  policy.system_calls = {SCMP_SYS(ioctl),         SCMP_SYS(eventfd2),   SCMP_SYS(epoll_create1),
                         SCMP_SYS(epoll_ctl),     SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
                         SCMP_SYS(get_mempolicy), SCMP_SYS(mbind),      SCMP_SYS(set_mempolicy),
                         SCMP_SYS(mlock),         SCMP_SYS(munlock),    SCMP_SYS(mincore)};
  return policy;
}

CudaRunnerDevice::CudaRunnerDevice(int rank_on_host) : CudaRunnerBase(rank_on_host) {
  start_activity_trace();
}

Result<SharedTensor> CudaRunnerBase::import_tensor(const TensorMapping& mapping,
                                                   std::vector<UniqueFd> fds,
                                                   const std::string& name) {
  if (fds.size() != 1) return fail(ErrorKind::kProtocol, "a GPU tensor has one descriptor");
  try {
    return SharedTensor::import(
        fds.front().get(), mapping.mapped_bytes, mapping.tensor_bytes,
        mapping.output ? SharedTensor::Access::kReadWrite : SharedTensor::Access::kRead,
        gpu_.device());
  } catch (const CudaFailure& failure) {
    return fail(ErrorKind::kSystem, "cannot map " + name + ": " + failure.what());
  }
}

Result<void*> CudaRunnerBase::map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                                         const std::string& name) {
  auto tensor = import_tensor(mapping, std::move(fds), name);
  if (!tensor) return fail(tensor.error());
  tensors_.push_back(std::move(*tensor));
  return device_pointer(tensors_.back().tensor());
}

TimedCall faulted_call(CUresult error) {
  TimedCall timed;
  timed.device_error = error;
  timed.device_fault = cuda_error_text(error);
  return timed;
}

Result<TimedCall> CudaRunnerDevice::time_call(const std::function<void()>& call) {
  const GpuActivity activity = trace_activity(call);
  if (activity.result != CUDA_SUCCESS) return faulted_call(activity.result);
  TimedCall timed;
  timed.seconds = activity.span_s;
  timed.incomplete = activity.dropped > 0;
  if (activity.outside > 0) {
    timed.violation =
        "the GPU worked for this candidate outside its calls: " + activity.outside_name;
  } else if (activity.unfinished > 0) {
    timed.violation = "GPU work of this candidate did not end with its call";
  } else if (activity.records == 0 && activity.dropped == 0) {
    timed.violation = "no GPU work was seen in the call";
  }
  return timed;
}

}  // namespace ptxbatch
