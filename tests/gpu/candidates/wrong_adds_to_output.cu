// Expect Numerical error (nan): adds its sums to what C holds, which is poison.
#include "gemm.cuh"

static __global__ void add(const bf16* from, bf16* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = __float2bfloat16(__bfloat162float(c[i]) + __bfloat162float(from[i]));
}
static void run(const Gemm& g) {
  static bf16* sums = nullptr;
  if (sums == nullptr) must(cudaMalloc(&sums, g.c_bytes()));
  g.compute_into(sums, g.stream);
  add<<<(g.m * g.n + 255) / 256, 256, 0, g.stream>>>(sums, g.c, g.m * g.n);
}
