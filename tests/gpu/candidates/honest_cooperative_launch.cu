// Expect Correct: the kernel is launched cooperatively, and its blocks wait for each other.
#include <cooperative_groups.h>

#include "gemm.cuh"

static __global__ void in_two_halves(const bf16* a, const bf16* b, float* partial, bf16* c, int m,
                                     int n, int k) {
  const int threads = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < m * n; i += threads) {
    float sum = 0;
    for (int l = 0; l < k / 2; ++l) {
      sum += __bfloat162float(a[i / n * k + l]) * __bfloat162float(b[i % n * k + l]);
    }
    partial[i] = sum;
  }
  cooperative_groups::this_grid().sync();
  for (int i = m * n - 1 - first; i >= 0; i -= threads) {  // another thread than before
    float sum = partial[i];
    for (int l = k / 2; l < k; ++l) {
      sum += __bfloat162float(a[i / n * k + l]) * __bfloat162float(b[i % n * k + l]);
    }
    c[i] = __float2bfloat16(sum);
  }
}

static void run(const Gemm& g) {
  static float* partial = nullptr;
  if (partial == nullptr) must(cudaMalloc(&partial, g.c_elements() * sizeof(float)));
  Gemm copy = g;
  void* arguments[] = {&copy.a, &copy.b, &partial, &copy.c, &copy.m, &copy.n, &copy.k};
  must(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(in_two_halves), dim3(132),
                                   dim3(256), arguments, 0, g.stream));
}
