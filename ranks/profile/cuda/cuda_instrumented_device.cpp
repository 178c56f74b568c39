#include "ranks/profile/cuda/cuda_instrumented_device.h"

#include <link.h>
#include <seccomp.h>

#include <filesystem>
#include <set>
#include <string>

#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_pointer.h"

namespace ptxbatch {
namespace {

/// Where this process's libraries are: a tool's part loads more from beside it when it is needed.
std::set<std::string> library_folders() {
  std::set<std::string> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        const std::filesystem::path file = object->dlpi_name;
        if (file.is_absolute()) {
          static_cast<std::set<std::string>*>(found)->insert(file.parent_path().string());
        }
        return 0;
      },
      &folders);
  return folders;
}

}  // namespace

Result<void*> CudaInstrumentedDevice::map_tensor(const TensorMapping& mapping,
                                                 std::vector<UniqueFd> fds,
                                                 const std::string& name) {
  try {
    auto shared = import_tensor(mapping, std::move(fds), name);
    if (!shared) return fail(shared.error());
    const CUdeviceptr own = tensors_.emplace_back(mapping.tensor_bytes).address();
    if (mapping.output) {
      outputs_.push_back({own, std::move(*shared)});
    } else {
      PTXBATCH_CALL(cuMemcpyDtoD(own, shared->tensor(), mapping.tensor_bytes));
      PTXBATCH_CALL(cuCtxSynchronize());
    }
    return device_pointer(own);
  } catch (const CudaFailure& failure) {
    return fail(ErrorKind::kSystem, "cannot copy " + name + ": " + failure.what());
  }
}

Result<TimedCall> CudaInstrumentedDevice::time_call(const std::function<void()>& call) {
  call();
  CUresult result = cuCtxSynchronize();
  for (const Output& output : outputs_) {
    if (result != CUDA_SUCCESS) break;
    result = cuMemcpyDtoD(output.shared.tensor(), output.own, output.shared.tensor_bytes());
  }
  return result == CUDA_SUCCESS ? TimedCall{} : faulted_call(result);
}

// The tool's part in this process talks to the tool over sockets that it made before.
SandboxPolicy CudaInstrumentedDevice::sandbox_additions() const {
  SandboxPolicy policy = CudaRunnerBase::sandbox_additions();
  policy.under_profiler = true;
  const std::set<std::string> folders = library_folders();
  policy.readable.insert(policy.readable.end(), folders.begin(), folders.end());
  policy.system_calls.insert(policy.system_calls.end(), {SCMP_SYS(sendto), SCMP_SYS(recvfrom)});
  return policy;
}

}  // namespace ptxbatch
