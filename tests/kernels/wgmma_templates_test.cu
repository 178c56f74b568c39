// Every wgmma of the Hopper pack against a plain product on the CPU: each N, each layout of A and
// B, A from registers, and the chain of two products that attention is made of.
#include "tests/kernels/device_test.cuh"
#include "wgmma.cuh"

namespace {

constexpr int kRows = 64;
constexpr int kDepth = 64;  // k: four instructions

enum class Layout { kK128, kK64, kK32, kKPlain, kMn128, kMn64, kMn32, kMnPlain };

__host__ __device__ constexpr ptx::Swizzle swizzle_of(Layout layout) {
  switch (layout) {
    case Layout::kK128:
    case Layout::kMn128:
      return ptx::Swizzle::k128;
    case Layout::kK64:
    case Layout::kMn64:
      return ptx::Swizzle::k64;
    case Layout::kK32:
    case Layout::kMn32:
      return ptx::Swizzle::k32;
    default:
      return ptx::Swizzle::kNone;
  }
}
__host__ __device__ constexpr bool is_mn_major(Layout layout) {
  return layout >= Layout::kMn128;
}

// Where element (mn, k) of an operand with `Size` rows lies: boxes of a swizzle's width side by
// side.
template <Layout L, int Size>
__device__ std::uint32_t offset_of(int mn, int k) {
  constexpr ptx::Swizzle kSwizzle = swizzle_of(L);
  constexpr int kBytes = static_cast<int>(kSwizzle);
  if constexpr (kSwizzle == ptx::Swizzle::kNone) {
    const int block = (k / 8) * (Size / 8) + mn / 8;
    return is_mn_major(L) ? block * 128 + (k % 8) * 16 + (mn % 8) * 2
                          : block * 128 + (mn % 8) * 16 + (k % 8) * 2;
  } else if constexpr (is_mn_major(L)) {
    return mn / (kBytes / 2) * (kDepth * kBytes) +
           ptx::swizzled_offset<kSwizzle>(k, mn % (kBytes / 2) * 2);
  } else {
    return k / (kBytes / 2) * (Size * kBytes) +
           ptx::swizzled_offset<kSwizzle>(mn, k % (kBytes / 2) * 2);
  }
}

// The descriptor of the 16 columns of k from `k` on.
template <Layout L, int Size>
__device__ std::uint64_t descriptor_of(const char* tile, int k) {
  constexpr ptx::Swizzle kSwizzle = swizzle_of(L);
  constexpr int kBytes = static_cast<int>(kSwizzle);
  if constexpr (L == Layout::kKPlain) {
    return ptx::k_major_plain(tile + k / 8 * (Size / 8 * 128), Size / 8 * 128, 128);
  } else if constexpr (L == Layout::kMnPlain) {
    return ptx::mn_major_plain(tile + k / 8 * (Size / 8 * 128), Size / 8 * 128, 128);
  } else if constexpr (is_mn_major(L)) {
    return ptx::mn_major<kSwizzle>(tile + k * kBytes, kDepth * kBytes);
  } else {
    return ptx::k_major<kSwizzle>(tile + k / (kBytes / 2) * (Size * kBytes) + k % (kBytes / 2) * 2);
  }
}

template <Layout L, int Size>
__device__ void fill(char* tile, const bf16* values) {
  for (int i = threadIdx.x; i < Size * kDepth; i += blockDim.x) {
    *reinterpret_cast<bf16*>(tile + offset_of<L, Size>(i / kDepth, i % kDepth)) = values[i];
  }
}

template <int N>
__device__ void write(const float (&d)[N / 2], float* out) {
  for (int i = 0; i < N / 2; ++i) {
    out[ptx::accumulator_row(threadIdx.x, i) * N + ptx::accumulator_column(threadIdx.x, i)] = d[i];
  }
}

template <int N, Layout A, Layout B>
__global__ void __launch_bounds__(128) multiply(const bf16* a, const bf16* b, float* out) {
  char* tile_a = aligned_shared_memory();
  char* tile_b = tile_a + kRows * kDepth * 2;
  fill<A, kRows>(tile_a, a);
  fill<B, N>(tile_b, b);
  ptx::fence_async_shared();
  __syncthreads();
  float d[N / 2];
  for (float& x : d) x = 1000;  // must be overwritten: the first product does not accumulate
  ptx::keep_registers(d);
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < kDepth; k += 16) {
    ptx::wgmma_ss<N, is_mn_major(A), is_mn_major(B)>(d, descriptor_of<A, kRows>(tile_a, k),
                                                     descriptor_of<B, N>(tile_b, k), k > 0);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::keep_registers(d);
  write<N>(d, out);
}

template <int N, Layout B>
__global__ void __launch_bounds__(128)
    multiply_from_registers(const bf16* a, const bf16* b, float* out) {
  char* tile_b = aligned_shared_memory();
  fill<B, N>(tile_b, b);
  ptx::fence_async_shared();
  __syncthreads();
  float d[N / 2];
  for (float& x : d) x = 0;
  std::uint32_t fragments[kDepth / 16][4];
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int k = 0; k < kDepth; k += 16) {
    const int column = k + threadIdx.x % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      fragments[k / 16][i] = *reinterpret_cast<const std::uint32_t*>(
          &a[(row + i % 2 * 8) * kDepth + column + i / 2 * 8]);
    }
    ptx::keep_registers(fragments[k / 16]);
  }
  ptx::keep_registers(d);
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < kDepth; k += 16) {
    ptx::wgmma_rs<N, is_mn_major(B)>(d, fragments[k / 16], descriptor_of<B, N>(tile_b, k));
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::keep_registers(d);
  write<N>(d, out);
}

// (A B^T) C^T with the first product turned into the second's A fragments: attention without
// softmax.
__global__ void __launch_bounds__(128)
    chain(const bf16* a, const bf16* b, const bf16* c, float* out) {
  char* tile_a = aligned_shared_memory();
  char* tile_b = tile_a + kRows * kDepth * 2;
  char* tile_c = tile_b + 64 * kDepth * 2;
  fill<Layout::kK128, kRows>(tile_a, a);
  fill<Layout::kK128, 64>(tile_b, b);
  fill<Layout::kMn128, 64>(tile_c, c);
  ptx::fence_async_shared();
  __syncthreads();
  float s[32];
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < kDepth; k += 16) {
    ptx::wgmma_ss<64>(s, descriptor_of<Layout::kK128, kRows>(tile_a, k),
                      descriptor_of<Layout::kK128, 64>(tile_b, k), k > 0);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::keep_registers(s);
  std::uint32_t p[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    ptx::accumulator_to_a(p[k], s, k);
    ptx::keep_registers(p[k]);
  }
  float d[32];
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    ptx::wgmma_rs<64, true>(d, p[k], descriptor_of<Layout::kMn128, 64>(tile_c, k * 16), k > 0);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::keep_registers(d);
  write<64>(d, out);
}

std::vector<float> product(const std::vector<bf16>& a, const std::vector<bf16>& b, int n) {
  std::vector<float> c(static_cast<std::size_t>(kRows) * n);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < kDepth; ++k) {
        c[i * n + j] += __bfloat162float(a[i * kDepth + k]) * __bfloat162float(b[j * kDepth + k]);
      }
    }
  }
  return c;
}

constexpr int kSharedBytes = 1024 + (kRows + 256) * kDepth * 2;

class Wgmma : public DeviceTest {
 protected:
  template <int N, Layout A = Layout::kK128, Layout B = Layout::kK128>
  void expect_right() {
    SCOPED_TRACE("N " + std::to_string(N) + ", layouts " + std::to_string(static_cast<int>(A)) +
                 " and " + std::to_string(static_cast<int>(B)));
    const auto a = small_integers(kRows * kDepth, 1);
    const auto b = small_integers(N * kDepth, 2);
    DeviceArray<bf16> device_a(a);
    DeviceArray<bf16> device_b(b);
    DeviceArray<float> out(kRows * N, -1.0F);
    allow_shared_memory(multiply<N, A, B>, kSharedBytes);
    multiply<N, A, B><<<1, 128, kSharedBytes>>>(device_a.data(), device_b.data(), out.data());
    EXPECT_EQ(out.values(), product(a, b, N));
  }
  template <int N, Layout B = Layout::kK128>
  void expect_right_from_registers() {
    SCOPED_TRACE("N " + std::to_string(N));
    const auto a = small_integers(kRows * kDepth, 3);
    const auto b = small_integers(N * kDepth, 4);
    DeviceArray<bf16> device_a(a);
    DeviceArray<bf16> device_b(b);
    DeviceArray<float> out(kRows * N, -1.0F);
    allow_shared_memory(multiply_from_registers<N, B>, kSharedBytes);
    multiply_from_registers<N, B>
        <<<1, 128, kSharedBytes>>>(device_a.data(), device_b.data(), out.data());
    EXPECT_EQ(out.values(), product(a, b, N));
  }
  template <int... Eighths>
  void expect_all_sizes(std::integer_sequence<int, Eighths...> /*sizes*/) {
    (expect_right<8 * (Eighths + 1)>(), ...);
    (expect_right_from_registers<8 * (Eighths + 1)>(), ...);
  }
  template <Layout A, Layout... Bs>
  void expect_with(std::integer_sequence<Layout, Bs...> /*layouts of B*/) {
    (expect_right<64, A, Bs>(), ...);
  }
};

using EveryLayout =
    std::integer_sequence<Layout, Layout::kK128, Layout::kK64, Layout::kK32, Layout::kKPlain,
                          Layout::kMn128, Layout::kMn64, Layout::kMn32, Layout::kMnPlain>;

TEST_F(Wgmma, EveryNFromSharedMemoryAndFromRegisters) {
  expect_all_sizes(std::make_integer_sequence<int, 32>());
}

TEST_F(Wgmma, EveryLayoutOfBothOperands) {
  expect_with<Layout::kK128>(EveryLayout());
  expect_with<Layout::kK64>(EveryLayout());
  expect_with<Layout::kK32>(EveryLayout());
  expect_with<Layout::kKPlain>(EveryLayout());
  expect_with<Layout::kMn128>(EveryLayout());
  expect_with<Layout::kMn64>(EveryLayout());
  expect_with<Layout::kMn32>(EveryLayout());
  expect_with<Layout::kMnPlain>(EveryLayout());
}

TEST_F(Wgmma, SeveralBoxesSideBySide) {
  expect_right<256, Layout::kK128, Layout::kMn128>();
  expect_right<256, Layout::kMn64, Layout::kMn64>();
  expect_right<256, Layout::kMn32, Layout::kMn32>();
  expect_right<256, Layout::kMnPlain, Layout::kMnPlain>();
  expect_right<128, Layout::kK32, Layout::kMn128>();
  expect_right_from_registers<128, Layout::kMn128>();
  expect_right_from_registers<256, Layout::kMn128>();
}

TEST_F(Wgmma, AnAccumulatorBecomesTheNextOperand) {
  const auto a = small_integers(kRows * kDepth, 5);
  const auto b = small_integers(64 * kDepth, 6);
  const auto c = small_integers(64 * kDepth, 7);
  DeviceArray<bf16> device_a(a);
  DeviceArray<bf16> device_b(b);
  DeviceArray<bf16> device_c(c);
  DeviceArray<float> out(kRows * 64, -1.0F);
  allow_shared_memory(chain, kSharedBytes);
  chain<<<1, 128, kSharedBytes>>>(device_a.data(), device_b.data(), device_c.data(), out.data());
  std::vector<bf16> s;
  for (const float x : product(a, b, 64)) s.push_back(__float2bfloat16(x));
  EXPECT_EQ(out.values(), product(s, c, 64));
}

}  // namespace
