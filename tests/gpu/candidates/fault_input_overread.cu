// Expect Runtime error (illegal_address): reads behind the end of B.
#include "gemm.cuh"

static __global__ void read_past(const bf16* b, bf16* c, std::size_t at) {
  c[0] = b[at];
}
static void run(const Gemm& g) {
  g.compute();
  read_past<<<1, 1, 0, g.stream>>>(g.b, g.c, static_cast<std::size_t>(g.n) * g.k);
}
