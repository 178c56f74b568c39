// Expect Runtime error (illegal_address): right twice, then a kernel reads where nothing is mapped.
#include "gemm.cuh"

static __global__ void read_nowhere(bf16* c, const float* p) {
  c[0] = __float2bfloat16(*p);
}
static void run(const Gemm& g) {
  static int calls = 0;
  g.compute();
  if (++calls == 3) {
    read_nowhere<<<1, 1, 0, g.stream>>>(g.c, reinterpret_cast<const float*>(0x7000'0000'0000));
  }
}
