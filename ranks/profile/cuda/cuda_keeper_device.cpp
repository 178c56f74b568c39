#include "ranks/profile/cuda/cuda_keeper_device.h"

#include "ranks/problems/operators.h"
#include "ranks/profile/cuda/activity_trace.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/cuda_workload.h"
#include "ranks/profile/cuda/device_peaks.h"
#include "ranks/profile/cuda/references.h"
#include "ranks/profile/workload_store.h"

namespace ptxbatch {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return std::to_string((bytes + (1ULL << 29U)) >> 30U) + " GiB";
}

// "13.0": the newest CUDA that the driver knows.
std::string driver_api_version() {
  int version = 0;
  PTXBATCH_CALL(cuDriverGetVersion(&version));
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

DeviceInfo CudaKeeperDevice::info() const {
  const DevicePeaks peaks = device_peaks(gpu_.device());
  DeviceInfo info;
  info.name = gpu_.name();
  info.id = gpu_.uuid();
  info.driver = monitor_.driver_version() + " (CUDA " + driver_api_version() + ")";
  info.libraries = cublas_version() + "; " + cudnn_version() +
                   "; caches: twice the L2 written and read before each call";
  info.architecture = gpu_.architecture();
  info.peak_flops_per_s = peaks.flops_per_s;
  info.peak_bytes_per_s = peaks.bytes_per_s;
  return info;
}

Result<std::unique_ptr<WorkloadState>> CudaKeeperDevice::make_workload(const Problem& problem,
                                                                       std::uint64_t input_seed,
                                                                       std::size_t input_sets) {
  try {
    return make_cuda_workload(gpu_, problem, input_seed, input_sets);
  } catch (const OutOfDeviceMemory&) {
    std::size_t free = 0;
    std::size_t total = 0;
    PTXBATCH_CALL(cuMemGetInfo(&free, &total));
    const std::uint64_t needed = expected_state_bytes(problem, input_sets);
    const std::string found = "the memory of " + gpu_.name() + " (" + gibibytes(free) +
                              " free of " + gibibytes(total) + ", " + gibibytes(needed) +
                              " needed)";
    // What would fit on an empty GPU is no fault of the workload's.
    if (needed < total / 10 * 9) {
      throw CudaFailure("other programs have taken up " + found + "; nvidia-smi shows them");
    }
    return fail(ErrorKind::kInput, problem.definition + " does not fit into " + found,
                "Use a smaller workload or fewer trials.");
  }
}

}  // namespace ptxbatch
