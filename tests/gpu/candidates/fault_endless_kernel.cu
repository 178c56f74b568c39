// Expect Kernel Execution Timeout: every multiprocessor is kept busy for ever.
#include "gemm.cuh"

static __global__ void spin(volatile bf16* c) {
  for (;;) {
    if (__bfloat162float(const_cast<const bf16*>(c)[0]) == 12345.0F) break;
    c[1] = c[0];
  }
}
static void run(const Gemm& g) {
  spin<<<132 * 2, 1024, 0, g.stream>>>(g.c);
}
