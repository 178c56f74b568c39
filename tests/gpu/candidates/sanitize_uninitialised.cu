// Expect initcheck: reads memory of its own that nothing has written; what it reads does not
// matter.
#include "gemm.cuh"

static __global__ void read(const int* buffer, bf16* c) {
  if (buffer[threadIdx.x] == 0x13572468) c[0] = __float2bfloat16(0);
}
static void run(const Gemm& g) {
  static int* buffer = nullptr;
  if (buffer == nullptr) must(cudaMalloc(&buffer, 32 * sizeof(int)));
  g.compute();
  read<<<1, 32, 0, g.stream>>>(buffer, g.c);
}
