// A small GEMM by wgmma, operands brought by TMA: what the candidates about evidence launch, or do
// not.
#pragma once

#include "gemm.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

struct alignas(1024) Shared {
  bf16 a[64 * 64];
  bf16 b[64 * 64];
  std::uint64_t full;
};

static __global__ void __launch_bounds__(128)
    wgmma_gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               bf16* c, int m, int n, int k) {
  __shared__ Shared shared;
  if (threadIdx.x == 0) {
    ptx::barrier_init(&shared.full, 1);
    ptx::fence_barrier_init();
  }
  __syncthreads();
  const int row = blockIdx.y * 64;
  const int column = blockIdx.x * 64;
  float d[32];
  for (int step = 0; step * 64 < k; ++step) {
    if (threadIdx.x == 0) {
      ptx::barrier_arrive_expect(&shared.full, sizeof shared.a + sizeof shared.b);
      ptx::tma_load_2d(shared.a, &map_a, &shared.full, step * 64, row);
      ptx::tma_load_2d(shared.b, &map_b, &shared.full, step * 64, column);
    }
    ptx::barrier_wait(&shared.full, step % 2);
    ptx::wgmma_fence();
    for (int kk = 0; kk < 64; kk += 16) {
      ptx::wgmma_ss<64>(d, ptx::k_major<ptx::Swizzle::k128>(shared.a + kk),
                        ptx::k_major<ptx::Swizzle::k128>(shared.b + kk), step + kk > 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(d);
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) {
    const int r = row + ptx::accumulator_row(threadIdx.x, i);
    const int s = column + ptx::accumulator_column(threadIdx.x, i);
    if (r < m && s < n) c[r * n + s] = __float2bfloat16(d[i]);
  }
}

static inline void launch_wgmma_gemm(const Gemm& g) {
  wgmma_gemm<<<dim3((g.n + 63) / 64, (g.m + 63) / 64), 128, 0, g.stream>>>(
      ptx::make_matrix_map(g.a, g.m, g.k, 64, 64, ptx::Swizzle::k128),
      ptx::make_matrix_map(g.b, g.n, g.k, 64, 64, ptx::Swizzle::k128), g.c, g.m, g.n, g.k);
}
