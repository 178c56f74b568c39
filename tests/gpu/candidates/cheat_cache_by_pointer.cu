// Expect Numerical error: a result for the same pointers is copied from the call before.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static const bf16* known = nullptr;
  static bf16* kept = nullptr;
  static int calls = 0;
  if (kept == nullptr) must(cudaMalloc(&kept, g.c_bytes()));
  if (known != g.a || ++calls <= 2) {
    g.compute_into(kept, g.stream);
    known = g.a;
  }
  must(cudaMemcpyAsync(g.c, kept, g.c_bytes(), cudaMemcpyDeviceToDevice, g.stream));
}
