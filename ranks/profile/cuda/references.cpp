#include "ranks/profile/cuda/references.h"

#include <cublasLt.h>
#include <cudnn.h>

namespace ptxbatch {
namespace {

// 130002 -> "13.0.2"
std::string three_numbers(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

Result<std::unique_ptr<CudaReference>> make_cuda_reference(const Problem& problem) {
  const DataType type = problem.inputs.empty() ? DataType::kInt32 : problem.inputs[0].tensor.type;
  if (type != DataType::kBFloat16 && type != DataType::kFloat16) {
    return fail(ErrorKind::kInput, "the GPU references compute in bfloat16 and float16, and " +
                                       problem.definition + " is in " +
                                       std::string(data_type_name(type)));
  }
  if (problem.op_type == "gemm") return make_cublas_gemm(problem);
  if (problem.op_type.starts_with("mha_")) return make_cudnn_attention(problem);
  return fail(ErrorKind::kInput, "there is no GPU reference for op_type " + problem.op_type,
              "There is one for gemm, mha_fwd, mha_fwd_causal, mha_bwd and mha_bwd_causal.");
}

std::string cublas_version() {
  return "cuBLASLt " + three_numbers(cublasLtGetVersion());
}

std::string cudnn_version() {
  return "cuDNN " + three_numbers(cudnnGetVersion());
}

}  // namespace ptxbatch
