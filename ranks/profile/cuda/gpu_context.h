// This process's GPU: which one, and its primary context, which a candidate's CUDA runtime shares.
#pragma once

#include <cuda.h>

#include <string>

namespace ptxbatch {

class GpuContext {
 public:
  /// `rank_on_host` chooses among the GPUs that CUDA_VISIBLE_DEVICES leaves: a launcher that gave
  /// each rank one GPU leaves only that. Makes the context current. Throws CudaFailure.
  explicit GpuContext(int rank_on_host);
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;
  ~GpuContext() { cuDevicePrimaryCtxRelease(device_); }

  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string uuid() const;          // "GPU-8a56a4bc-..."
  [[nodiscard]] std::string architecture() const;  // "sm_90"
  [[nodiscard]] int attribute(CUdevice_attribute what) const;

 private:
  CUdevice device_ = 0;
  int ordinal_ = 0;
};

}  // namespace ptxbatch
