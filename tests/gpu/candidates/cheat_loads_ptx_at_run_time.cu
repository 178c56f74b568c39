// Expect Correct, target instruction absent: the driver compiles PTX from a string, so that what
// runs was never in the candidate's binary. It is allowed, and is seen to be no target instruction.
#include "gemm.cuh"

static const char kPtx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing() { ret; }
)";

static void run(const Gemm& g) {
  static CUfunction function = nullptr;
  if (function == nullptr) {
    CUmodule module;
    must(cuModuleLoadData(&module, kPtx) == CUDA_SUCCESS, "cuModuleLoadData");
    must(cuModuleGetFunction(&function, module, "nothing") == CUDA_SUCCESS, "cuModuleGetFunction");
  }
  must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, reinterpret_cast<CUstream>(g.stream), nullptr,
                      nullptr) == CUDA_SUCCESS,
       "cuLaunchKernel");
  g.compute();
}
