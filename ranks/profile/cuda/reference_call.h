// Calls of cuBLAS and cuDNN, checked as those of CUDA are (checked_call.h). Only what links these
// libraries includes this.
#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {

inline void check_call(cublasStatus_t status, const CallSite& site) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  report_failed_call("cuBLAS status " + std::to_string(status), site);
}

inline void check_call(cudnnStatus_t status, const CallSite& site) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  report_failed_call(cudnnGetErrorString(status), site);
}

}  // namespace ptxbatch
