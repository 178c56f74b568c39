// What the GPU targets compute and time against: cuBLASLt for GEMM, cuDNN for attention forward
// and backward. No candidate runs in a process that has them.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

/// A reference prepared for one problem: plans and workspace are made once, so that run() only
/// launches. Failed calls throw CudaFailure.
class CudaReference {
 public:
  virtual ~CudaReference() = default;
  /// Contiguous tensors in the problem's order; 0 stands for a scalar.
  virtual void run(const std::vector<CUdeviceptr>& inputs, const std::vector<CUdeviceptr>& outputs,
                   CUstream stream) = 0;
  /// Fills the inputs that are not drawn (Operator::is_random_input) from those that are.
  virtual void derive_inputs(const std::vector<CUdeviceptr>& inputs, CUstream stream) {
    (void)inputs;
    (void)stream;
  }
  [[nodiscard]] virtual std::uint64_t workspace_bytes() const = 0;
  /// Library, version and algorithm: "cuBLASLt 13.0.2, algorithm 66, tile 20, ..."
  [[nodiscard]] virtual std::string description() const = 0;
};

/// op_types gemm, mha_fwd, mha_fwd_causal, mha_bwd and mha_bwd_causal in bfloat16 or float16, with
/// what cuDNN supports of head sizes. kInput for anything else, with what is supported.
Result<std::unique_ptr<CudaReference>> make_cuda_reference(const Problem& problem);

Result<std::unique_ptr<CudaReference>> make_cublas_gemm(const Problem& problem);
Result<std::unique_ptr<CudaReference>> make_cudnn_attention(const Problem& problem);

std::string cublas_version();  // "cuBLASLt 13.0.2"
std::string cudnn_version();   // "cuDNN 9.14.0"

}  // namespace ptxbatch
