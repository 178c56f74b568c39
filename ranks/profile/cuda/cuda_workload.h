// One workload's state on a GPU. Each set of inputs and what the reference makes of it lie in
// memory of the keeper's own; one set at a time is copied to the memory that runners map.
#pragma once

#include <memory>

#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/keeper_device.h"

namespace ptxbatch {

/// kInput for a problem without a reference. Throws OutOfDeviceMemory, with nothing left behind,
/// and CudaFailure.
Result<std::unique_ptr<WorkloadState>> make_cuda_workload(const GpuContext& gpu,
                                                          const Problem& problem,
                                                          std::uint64_t input_seed,
                                                          std::size_t input_sets);

}  // namespace ptxbatch
