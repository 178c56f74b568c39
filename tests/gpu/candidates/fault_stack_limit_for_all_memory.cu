// Expect Correct or Runtime error: asks for 64 KiB of stack for each thread of the GPU, some 18 GB,
// uses it, and is right if it got it. The memory must be free again for the next candidate.
#include "gemm.cuh"

static __global__ void use_stack(int* out, int index) {
  volatile int large[15000];
  for (int i = 0; i < 15000; ++i) large[i] = i;
  if (large[index] != index) *out = 1;
}
static void run(const Gemm& g) {
  static int* out = nullptr;
  if (out == nullptr) {
    must(cudaMalloc(&out, sizeof(int)));
    must(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
  }
  use_stack<<<132, 256, 0, g.stream>>>(out, static_cast<int>(g.m % 15000));
  must(cudaGetLastError());
  g.compute();
}
