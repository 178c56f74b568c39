// Expect Runtime error (illegal_address): a kernel writes where nothing is mapped.
#include "gemm.cuh"

static __global__ void write_nowhere(float* p) {
  *p = 1;
}
static void run(const Gemm& g) {
  g.compute();
  write_nowhere<<<1, 1, 0, g.stream>>>(reinterpret_cast<float*>(0x10));
}
