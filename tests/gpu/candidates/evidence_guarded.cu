// Expect Correct, target instruction not executed: wgmma behind a condition that is never true.
// Compile with the Hopper pack's templates on the include path.
#include "gemm.cuh"
#include "wgmma.cuh"

// The honest kernel, with a wgmma behind a condition that is false for every workload.
static __global__ void guarded(const bf16* a, const bf16* b, bf16* c, int m, int n, int k) {
  __shared__ alignas(1024) bf16 tile[64 * 64];
  float d[4] = {0, 0, 0, 0};
  if (k > 1'000'000) {
    tile[threadIdx.x] = a[threadIdx.x];
    ptx::fence_async_shared();
    __syncthreads();
    ptx::wgmma_fence();
    ptx::wgmma_ss<8>(d, ptx::k_major<ptx::Swizzle::k128>(tile),
                     ptx::k_major<ptx::Swizzle::k128>(tile));
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(d);
  }
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = d[0];
  for (int l = 0; l < k; ++l)
    sum += __bfloat162float(a[i / n * k + l]) * __bfloat162float(b[i % n * k + l]);
  c[i] = __float2bfloat16(sum);
}

static void run(const Gemm& g) {
  guarded<<<(g.m * g.n + 127) / 128, 128, 0, g.stream>>>(g.a, g.b, g.c, g.m, g.n, g.k);
}
