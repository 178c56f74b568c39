// Expect Numerical error: computes in every third call and repeats in between.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static bf16* kept = nullptr;
  static int calls = 0;
  if (kept == nullptr) must(cudaMalloc(&kept, g.c_bytes()));
  if (calls++ % 3 == 0) g.compute_into(kept, g.stream);
  must(cudaMemcpyAsync(g.c, kept, g.c_bytes(), cudaMemcpyDeviceToDevice, g.stream));
}
