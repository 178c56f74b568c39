// Expect Numerical error (not_written) or Correct with an honest time: looks whether C still holds
// the result of the call before, and computes only if not. Poison makes it compute.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static float before = 0;
  bf16 first;
  must(cudaMemcpyAsync(&first, g.c + 5, sizeof first, cudaMemcpyDeviceToHost, g.stream));
  must(cudaStreamSynchronize(g.stream));
  if (before != 0 && __bfloat162float(first) == before) return;
  g.compute();
  must(cudaMemcpyAsync(&first, g.c + 5, sizeof first, cudaMemcpyDeviceToHost, g.stream));
  must(cudaStreamSynchronize(g.stream));
  before = __bfloat162float(first);
}
