// Expect Runtime error (overrun or illegal_address): writes one element in front of C.
#include "gemm.cuh"

static __global__ void one_before(bf16* c) {
  c[-1] = __float2bfloat16(1.0F);
}
static void run(const Gemm& g) {
  g.compute();
  one_before<<<1, 1, 0, g.stream>>>(g.c);
}
