// Expect Correct: waits for its own work before it returns.
#include "gemm.cuh"

static void run(const Gemm& g) {
  g.compute();
  must(cudaStreamSynchronize(g.stream));
}
