// Expect Runtime error (illegal_address): writes an element of A, which is mapped read-only.
// Nothing must change for the next candidate.
#include "gemm.cuh"

static __global__ void overwrite(bf16* p) {
  p[threadIdx.x] = __float2bfloat16(0.0F);
}
static void run(const Gemm& g) {
  g.compute();
  overwrite<<<1, 32, 0, g.stream>>>(const_cast<bf16*>(g.a));
}
