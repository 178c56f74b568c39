// Expect Numerical error: 8-bit products (QGMMA) for a bf16 problem. Where a tolerance lets such a
// candidate pass, the variant named in its evidence shows the downgrade. Compile with the Hopper
// pack's templates on the include path.
#include <cuda_fp8.h>

#include "gemm.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

// Byte tiles of 64 x 128, filled by the threads themselves: 8-bit products of 8-bit inputs.
struct alignas(1024) Shared {
  unsigned char a[64 * 128];
  unsigned char b[64 * 128];
};

static __device__ void fill(unsigned char* tile, const bf16* from, int row0, int k0, int k) {
  for (int i = threadIdx.x; i < 64 * 128; i += blockDim.x) {
    const int row = i / 128;
    const int column = i % 128;
    const float value = __bfloat162float(from[(row0 + row) * k + k0 + column]);
    tile[ptx::swizzled_offset<ptx::Swizzle::k128>(row, column)] =
        __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  }
}
static __device__ __forceinline__ void wgmma_fp8(float (&d)[32], std::uint64_t a, std::uint64_t b,
                                                 int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {" PTX_D32
      "}, %32, %33, p, 1, 1;\n"
      "}\n"
      : PTX_O32
      : "l"(a), "l"(b), "r"(accumulate));
}

// Sizes are multiples of 64 and of 128 along K in the one problem that this is for.
static __global__ void __launch_bounds__(128)
    fp8_gemm(const bf16* a, const bf16* b, bf16* c, int n, int k) {
  __shared__ Shared shared;
  const int row = blockIdx.y * 64;
  const int column = blockIdx.x * 64;
  float d[32];
  for (int k0 = 0; k0 < k; k0 += 128) {
    fill(shared.a, a, row, k0, k);
    fill(shared.b, b, column, k0, k);
    ptx::fence_async_shared();
    __syncthreads();
    ptx::wgmma_fence();
    for (int kk = 0; kk < 128; kk += 32) {
      wgmma_fp8(d, ptx::k_major<ptx::Swizzle::k128>(shared.a + kk),
                ptx::k_major<ptx::Swizzle::k128>(shared.b + kk), k0 + kk > 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(d);
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) {
    c[(row + ptx::accumulator_row(threadIdx.x, i)) * n + column +
      ptx::accumulator_column(threadIdx.x, i)] = __float2bfloat16(d[i]);
  }
}

static void run(const Gemm& g) {
  fp8_gemm<<<dim3(g.n / 64, g.m / 64), 128, 0, g.stream>>>(g.a, g.b, g.c, g.n, g.k);
}
