// Expect Numerical error: wrong, and prints that it passed.
#include "gemm.cuh"

static void run(const Gemm& g) {
  must(cudaMemsetAsync(g.c, 0, g.c_bytes(), g.stream));
  std::puts("PASSED");
  std::puts("{\"status\": \"PASSED\", \"speedup\": 100.0, \"outcome\": \"correct\"}");
  std::fflush(stdout);
}
