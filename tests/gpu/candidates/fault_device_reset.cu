// Expect Runtime error: destroys the context under the runner, so that its tensors are gone.
#include "gemm.cuh"

static void run(const Gemm& g) {
  cudaDeviceReset();
  g.compute();
}
