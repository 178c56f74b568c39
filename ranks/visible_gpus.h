// The GPUs that a rank may use, found without loading CUDA: nvidia-smi lists those of the machine,
// CUDA_VISIBLE_DEVICES says which of them a launcher has left to this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct VisibleGpu {
  std::string uuid;                // "GPU-8a56a4bc-..."
  std::string name;                // "NVIDIA H200"
  std::string compute_capability;  // "9.0"
  std::string driver;

  bool operator==(const VisibleGpu&) const = default;
};

/// In the order in which CUDA numbers them for this process. Nothing: it cannot be known, since
/// there is no nvidia-smi or it does not answer.
std::optional<std::vector<VisibleGpu>> find_visible_gpus();

/// From the lines of `nvidia-smi --query-gpu=uuid,name,compute_cap,driver_version
/// --format=csv,noheader`.
std::optional<std::vector<VisibleGpu>> parse_gpu_list(const std::string& csv);

/// Those that a value of CUDA_VISIBLE_DEVICES (null: not set) leaves of all, as CUDA reads it: up
/// to the first entry that names none of them.
std::vector<VisibleGpu> select_visible(const std::vector<VisibleGpu>& all, const char* variable);

}  // namespace ptxbatch
