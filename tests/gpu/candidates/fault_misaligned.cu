// Expect Runtime error (misaligned_address): a 16-byte load from an address that is odd by 2.
#include "gemm.cuh"

static __global__ void load_wide(const bf16* a, bf16* c) {
  const uint4 wide = *reinterpret_cast<const uint4*>(a + 1);
  c[0] = __float2bfloat16(static_cast<float>(wide.x));
}
static void run(const Gemm& g) {
  g.compute();
  load_wide<<<1, 1, 0, g.stream>>>(g.a, g.c);
}
