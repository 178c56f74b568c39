// Expect memcheck: reads the element in front of A, and is right all the same.
#include "gemm.cuh"

static __global__ void read_before(const bf16* a, bf16* c) {
  const bf16 before = a[-1];
  if (__bfloat162float(before) == 12345.0F) c[0] = before;
}
static void run(const Gemm& g) {
  g.compute();
  read_before<<<1, 1, 0, g.stream>>>(g.a, g.c);
}
