// Expect Correct: two kernels, the second launched early and waiting for the first on the GPU.
#include "gemm.cuh"

static __global__ void to_float(const bf16* from, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < count) to[i] = __bfloat162float(from[i]);
}
static __global__ void multiply(const float* a, const bf16* b, bf16* c, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i >= m * n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i / n * k + l] * __bfloat162float(b[i % n * k + l]);
  c[i] = __float2bfloat16(sum);
}

static void run(const Gemm& g) {
  static float* a = nullptr;
  if (a == nullptr) must(cudaMalloc(&a, sizeof(float) * g.m * g.k));
  to_float<<<(g.m * g.k + 255) / 256, 256, 0, g.stream>>>(g.a, a, g.m * g.k);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((g.m * g.n + 255) / 256);
  config.blockDim = dim3(256);
  config.stream = g.stream;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  must(
      cudaLaunchKernelEx(&config, multiply, static_cast<const float*>(a), g.b, g.c, g.m, g.n, g.k));
}
