// Expect Numerical error: computes while it is being checked, in its first four calls, and repeats
// the last result from then on.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static bf16* kept = nullptr;
  static int calls = 0;
  if (kept == nullptr) must(cudaMalloc(&kept, g.c_bytes()));
  if (++calls <= 4) g.compute_into(kept, g.stream);
  must(cudaMemcpyAsync(g.c, kept, g.c_bytes(), cudaMemcpyDeviceToDevice, g.stream));
}
