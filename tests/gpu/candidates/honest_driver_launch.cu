// Expect Correct: the launch goes through the driver's API, with the runtime's handle of the
// kernel.
#include "gemm.cuh"

static void run(const Gemm& g) {
  cudaFunction_t function;
  must(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(gemm_kernel)));
  Gemm copy = g;
  void* arguments[] = {&copy.a, &copy.b, &copy.c, &copy.m, &copy.n, &copy.k};
  must(cuLaunchKernel(reinterpret_cast<CUfunction>(function), g.grid().x, g.grid().y, 1, kTile,
                      kTile, 1, 0, reinterpret_cast<CUstream>(g.stream), arguments,
                      nullptr) == CUDA_SUCCESS,
       "cuLaunchKernel");
}
