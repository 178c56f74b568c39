#include "ranks/profile/cuda/references.h"

#include <cublasLt.h>
#include <cudnn.h>

namespace ptxbatch {
namespace {

std::string three_numbers(std::size_t version, std::size_t major_unit, std::size_t minor_unit) {
  return std::to_string(version / major_unit) + "." +
         std::to_string(version % major_unit / minor_unit) + "." +
         std::to_string(version % minor_unit);
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

std::string cuda_reference_libraries() {
  return "cuBLASLt " + three_numbers(cublasLtGetVersion(), 10000, 100) + "; cuDNN " +
         three_numbers(cudnnGetVersion(), 10000, 100);
}

}  // namespace ptxbatch
