// C = A B^T by cuBLASLt: the first algorithm of its heuristics within 32 MiB of workspace, float32
// accumulation. Row-major C[M,N] is column-major C'[N,M] = op(B') A' with B'[K,N] transposed.
#include <cublasLt.h>

#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/device_pointer.h"
#include "ranks/profile/cuda/reference_call.h"
#include "ranks/profile/cuda/references.h"

namespace ptxbatch {
namespace {

constexpr std::uint64_t kWorkspaceBytes = 32ULL << 20U;

template <class Handle, cublasStatus_t (*kDestroy)(Handle)>
struct Destroy {
  using pointer = Handle;
  void operator()(Handle handle) const { kDestroy(handle); }
};
using LtHandle = std::unique_ptr<cublasLtHandle_t, Destroy<cublasLtHandle_t, cublasLtDestroy>>;
using MatmulDesc =
    std::unique_ptr<cublasLtMatmulDesc_t, Destroy<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>>;
using Layout = std::unique_ptr<cublasLtMatrixLayout_t,
                               Destroy<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>>;
using Preference =
    std::unique_ptr<cublasLtMatmulPreference_t,
                    Destroy<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>>;

Layout make_layout(cudaDataType type, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  PTXBATCH_CALL(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                           static_cast<std::uint64_t>(columns), rows));
  return Layout(layout);
}

class CublasGemm final : public CudaReference {
 public:
  explicit CublasGemm(const Problem& problem) : workspace_(kWorkspaceBytes) {
    const Tensor& a = problem.inputs[0].tensor;
    const std::int64_t m = a.shape[0];
    const std::int64_t k = a.shape[1];
    const std::int64_t n = problem.inputs[1].tensor.shape[0];
    const cudaDataType type = a.type == DataType::kBFloat16 ? CUDA_R_16BF : CUDA_R_16F;

    cublasLtHandle_t handle = nullptr;
    PTXBATCH_CALL(cublasLtCreate(&handle));
    handle_.reset(handle);
    cublasLtMatmulDesc_t product = nullptr;
    PTXBATCH_CALL(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    product_.reset(product);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    PTXBATCH_CALL(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                                 sizeof transposed));
    b_ = make_layout(type, k, n);
    a_ = make_layout(type, k, m);
    c_ = make_layout(type, n, m);
    choose_algorithm();
  }

  void run(const std::vector<CUdeviceptr>& inputs, const std::vector<CUdeviceptr>& outputs,
           CUstream stream) override {
    const float one = 1;
    const float zero = 0;
    auto* c = device_pointer(outputs[0]);
    PTXBATCH_CALL(cublasLtMatmul(handle_.get(), product_.get(), &one, device_pointer(inputs[1]),
                                 b_.get(), device_pointer(inputs[0]), a_.get(), &zero, c, c_.get(),
                                 c, c_.get(), &algorithm_.algo,
                                 device_pointer(workspace_.address()), workspace_.bytes(), stream));
  }

  [[nodiscard]] std::uint64_t workspace_bytes() const override { return workspace_.bytes(); }

  [[nodiscard]] std::string description() const override {
    return cublas_version() + ", algorithm " +
           std::to_string(configuration(CUBLASLT_ALGO_CONFIG_ID)) + ", tile " +
           std::to_string(configuration(CUBLASLT_ALGO_CONFIG_TILE_ID)) + ", stages " +
           std::to_string(configuration(CUBLASLT_ALGO_CONFIG_STAGES_ID)) + ", cluster " +
           std::to_string(cluster_shape());
  }

 private:
  void choose_algorithm() {
    cublasLtMatmulPreference_t created = nullptr;
    PTXBATCH_CALL(cublasLtMatmulPreferenceCreate(&created));
    const Preference preference(created);
    PTXBATCH_CALL(cublasLtMatmulPreferenceSetAttribute(created,
                                                       CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                       &kWorkspaceBytes, sizeof kWorkspaceBytes));
    int found = 0;
    PTXBATCH_CALL(cublasLtMatmulAlgoGetHeuristic(handle_.get(), product_.get(), b_.get(), a_.get(),
                                                 c_.get(), c_.get(), created, 1, &algorithm_,
                                                 &found));
    if (found == 0) throw CudaFailure("cuBLASLt has no algorithm for this product");
  }

  [[nodiscard]] std::uint32_t configuration(cublasLtMatmulAlgoConfigAttributes_t what) const {
    std::uint32_t value = 0;
    cublasLtMatmulAlgoConfigGetAttribute(&algorithm_.algo, what, &value, sizeof value, nullptr);
    return value;
  }
  [[nodiscard]] std::uint16_t cluster_shape() const {
    std::uint16_t value = 0;
    cublasLtMatmulAlgoConfigGetAttribute(&algorithm_.algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID,
                                         &value, sizeof value, nullptr);
    return value;
  }

  DeviceBuffer workspace_;
  LtHandle handle_;
  MatmulDesc product_;
  Layout a_;
  Layout b_;
  Layout c_;
  cublasLtMatmulHeuristicResult_t algorithm_{};
};

}  // namespace

Result<std::unique_ptr<CudaReference>> make_cublas_gemm(const Problem& problem) {
  return std::make_unique<CublasGemm>(problem);
}

}  // namespace ptxbatch
