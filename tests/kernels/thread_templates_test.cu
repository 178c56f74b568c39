// The rest of the Hopper pack: barriers between threads and blocks, clusters, matrix loads and
// stores, conversions and small arithmetic.
#include "arithmetic.cuh"
#include "cluster.cuh"
#include "mbarrier.cuh"
#include "tests/kernels/device_test.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

namespace {

class Threads : public DeviceTest {};

__global__ void roles(int* out) {
  const int elected = ptx::elect_one() ? 1 : 0;
  int* mine = out + threadIdx.x * 4;
  mine[0] = ptx::lane_index();
  mine[1] = ptx::warp_index();
  mine[2] = ptx::warpgroup_index();
  mine[3] = __popc(__ballot_sync(0xFFFFFFFFU, elected));
}

TEST_F(Threads, KnowTheirPlaceAndElectOne) {
  DeviceArray<int> out(256 * 4, -1);
  roles<<<1, 256>>>(out.data());
  const auto got = out.values();
  for (int t = 0; t < 256; ++t) {
    EXPECT_EQ(got[t * 4], t % 32);
    EXPECT_EQ(got[t * 4 + 1], t / 32);
    EXPECT_EQ(got[t * 4 + 2], t / 128);
    EXPECT_EQ(got[t * 4 + 3], 1);
  }
}

// Two warpgroups in turns through named barriers: the shared counter's order shows whose turn it
// was.
__global__ void ping_pong(int* order, int turns) {
  __shared__ int next;
  const int me = ptx::warpgroup_index();
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  if (me == 1) ptx::named_barrier_arrive(1, 256);
  for (int i = 0; i < turns; ++i) {
    ptx::named_barrier_sync(1 + me, 256);
    if (threadIdx.x % 128 == 0) order[next++] = me;
    ptx::named_barrier_sync(3 + me, 128);
    ptx::named_barrier_arrive(1 + (1 - me), 256);
  }
  if (me == 0) ptx::named_barrier_sync(1, 256);
}

TEST_F(Threads, NamedBarriersPassATurn) {
  constexpr int kTurns = 50;
  DeviceArray<int> order(2 * kTurns, -1);
  ping_pong<<<1, 256>>>(order.data(), kTurns);
  const auto got = order.values();
  for (int i = 0; i < 2 * kTurns; ++i) EXPECT_EQ(got[i], i % 2) << i;
}

// One thread counts phases of a barrier that all others complete.
__global__ void phases(int* tests) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::barrier_init(&barrier, blockDim.x);
    ptx::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tests[0] = ptx::barrier_test(&barrier, 0) ? 1 : 0;  // phase 0 is not complete
    tests[1] = ptx::barrier_test(&barrier, 1) ? 1 : 0;  // the one before it is
  }
  __syncthreads();
  for (int i = 0; i < 100; ++i) {
    ptx::barrier_arrive(&barrier);
    ptx::barrier_wait(&barrier, i % 2);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tests[2] = ptx::barrier_test(&barrier, 1) ? 1 : 0;  // 100 phases: the last had parity 1
    tests[3] = ptx::barrier_test(&barrier, 0) ? 1 : 0;
    ptx::barrier_invalidate(&barrier);
  }
}

TEST_F(Threads, BarriersAlternateTheirParity) {
  DeviceArray<int> tests(4, -1);
  phases<<<1, 96>>>(tests.data());
  EXPECT_EQ(tests.values(), (std::vector<int>{0, 1, 1, 0}));
}

// Bytes announced without an arrival, and an arrival that completes the phase later.
__global__ void expects(const float* in, float* out) {
  __shared__ alignas(128) float buffer[64];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::barrier_init(&barrier, 1);
    ptx::fence_barrier_init();
    ptx::barrier_expect(&barrier, 128);
    ptx::bulk_load(buffer, in, 128, &barrier);
    ptx::barrier_arrive_expect(&barrier, 128);
    ptx::bulk_load(buffer + 32, in + 32, 128, &barrier);
  }
  __syncthreads();
  ptx::barrier_wait(&barrier, 0);
  out[threadIdx.x] = buffer[threadIdx.x];
}

TEST_F(Threads, BytesCanBeAnnouncedInParts) {
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = small_integer(i);
  DeviceArray<float> in(values);
  DeviceArray<float> out(64, -1.0F);
  expects<<<1, 64>>>(in.data(), out.data());
  EXPECT_EQ(out.values(), values);
}

// Every block signals every block, in three ways, and reads and writes its neighbour's memory.
__global__ void __cluster_dims__(4, 1, 1) across_blocks(const float* in, int* out) {
  __shared__ std::uint64_t released;
  __shared__ std::uint64_t relaxed;
  __shared__ std::uint64_t announced;
  __shared__ alignas(128) float buffer[32];
  __shared__ std::uint32_t mine;
  __shared__ std::uint32_t given;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t size = ptx::cluster_size();
  if (threadIdx.x == 0) {
    ptx::barrier_init(&released, 4);
    ptx::barrier_init(&relaxed, 4);
    ptx::barrier_init(&announced, 1);
    ptx::fence_barrier_init();
    mine = 100 + rank;
  }
  ptx::cluster_sync();
  const std::uint32_t next = (rank + 1) % size;
  if (threadIdx.x < 4) {
    for (int phase = 0; phase < 5; ++phase) {
      ptx::barrier_arrive_remote(&released, threadIdx.x);
      ptx::barrier_arrive_remote_relaxed(&relaxed, threadIdx.x);
      ptx::barrier_wait_cluster(&released, phase % 2);
      ptx::barrier_wait_cluster(&relaxed, phase % 2);
      __syncwarp(0xF);
    }
  }
  if (threadIdx.x == 0) {
    ptx::barrier_arrive_expect_remote(&announced, next, sizeof buffer);
    ptx::store_remote(ptx::map_to_rank(&given, next), 200 + rank);
  }
  ptx::cluster_sync();
  if (threadIdx.x == 0) ptx::bulk_load(buffer, in, sizeof buffer, &announced);
  ptx::barrier_wait(&announced, 0);
  if (threadIdx.x == 0) {
    int* row = out + (ptx::cluster_index() * size + rank) * 5;
    row[0] = static_cast<int>(rank);
    row[1] = static_cast<int>(size);
    row[2] = static_cast<int>(ptx::load_remote(ptx::map_to_rank(&mine, next)));
    row[3] = static_cast<int>(given);
    row[4] = static_cast<int>(buffer[31]);
  }
  ptx::cluster_sync();
}

TEST_F(Threads, BlocksOfAClusterSignalReadAndWrite) {
  std::vector<float> values(32, 7.0F);
  DeviceArray<float> in(values);
  DeviceArray<int> out(8 * 5, -1);
  across_blocks<<<8, 32>>>(in.data(), out.data());
  const auto got = out.values();
  for (int block = 0; block < 8; ++block) {
    const int rank = block % 4;
    const std::vector<int> row(got.begin() + block * 5, got.begin() + block * 5 + 5);
    EXPECT_EQ(row, (std::vector<int>{rank, 4, 100 + (rank + 1) % 4, 200 + (rank + 3) % 4, 7}));
  }
}

// 16 x 16 elements through ldmatrix and stmatrix, as they are and transposed.
__global__ void matrices(const bf16* in, bf16* out) {
  __shared__ alignas(16) bf16 tile[16 * 16];
  __shared__ alignas(16) bf16 result[4][16 * 16];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) tile[i] = in[i];
  __syncwarp();
  const int at = (lane % 16) * 16 + (lane / 16) * 8;
  std::uint32_t r[4];
  ptx::load_matrix_x4(r, &tile[at]);
  ptx::store_matrix_x4(&result[0][at], r[0], r[1], r[2], r[3]);
  ptx::store_matrix_x4_transposed(&result[1][at], r[0], r[1], r[2], r[3]);
  std::uint32_t t[4];
  ptx::load_matrix_x4_transposed(t, &tile[at]);
  ptx::store_matrix_x4(&result[2][at], t[0], t[1], t[2], t[3]);
  // Lane l holds elements 2 * (l % 4) and + 1 of row l / 4.
  const int place = lane / 4 * 16 + lane % 4 * 2;
  *reinterpret_cast<std::uint32_t*>(&result[3][place]) = r[0];
  *reinterpret_cast<std::uint32_t*>(&result[3][place + 8 * 16]) = r[1];
  *reinterpret_cast<std::uint32_t*>(&result[3][place + 8]) = r[2];
  *reinterpret_cast<std::uint32_t*>(&result[3][place + 8 * 16 + 8]) = r[3];
  __syncwarp();
  for (int i = lane; i < 1024; i += 32) out[i] = result[i / 256][i % 256];
}

TEST_F(Threads, MatrixLoadsAndStores) {
  const auto tile = small_integers(256, 21);
  DeviceArray<bf16> in(tile);
  DeviceArray<bf16> out(1024, __float2bfloat16(99.0F));
  matrices<<<1, 32>>>(in.data(), out.data());
  const auto got = out.values();
  for (int i = 0; i < 256; ++i) {
    const int row = i / 16;
    const int column = i % 16;
    // Transposition stays inside of each 8 x 8 matrix.
    const int other = (row / 8 * 8 + column % 8) * 16 + column / 8 * 8 + row % 8;
    EXPECT_EQ(__bfloat162float(got[i]), __bfloat162float(tile[i]));
    EXPECT_EQ(__bfloat162float(got[256 + i]), __bfloat162float(tile[other]));
    EXPECT_EQ(__bfloat162float(got[512 + i]), __bfloat162float(tile[other]));
    EXPECT_EQ(__bfloat162float(got[768 + i]), __bfloat162float(tile[i]));
  }
}

// An accumulator of 64 x 128 numbers through two swizzled boxes and TMA stores.
__global__ void __launch_bounds__(128) output(const __grid_constant__ CUtensorMap map) {
  char* boxes = aligned_shared_memory();
  float d[64];
  for (int i = 0; i < 64; ++i) {
    d[i] = static_cast<float>(ptx::accumulator_row(threadIdx.x, i) * 2 -
                              ptx::accumulator_column(threadIdx.x, i));
  }
  ptx::store_accumulator_box(boxes, d, 0, threadIdx.x);
  ptx::store_accumulator_box(boxes + 8192, d, 4, threadIdx.x);
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::tma_store_2d(&map, boxes, 0, 0);
    ptx::tma_store_2d(&map, boxes + 8192, 64, 0);
    ptx::store_commit();
    ptx::store_wait_read<0>();
  }
}

TEST_F(Threads, AnAccumulatorIsStoredThroughSwizzledBoxes) {
  DeviceArray<bf16> out(64 * 128, __float2bfloat16(99.0F));
  output<<<1, 128, 16384 + 1024>>>(
      ptx::make_matrix_map(out.data(), 64, 128, 64, 64, ptx::Swizzle::k128));
  const auto got = out.values();
  for (int i = 0; i < 64 * 128; ++i) {
    ASSERT_EQ(__bfloat162float(got[i]), static_cast<float>(i / 128 * 2 - i % 128)) << i;
  }
}

// A kernel that writes global memory in the ordinary way and loads it by TMA afterwards.
__global__ void proxies(float* memory, float* out) {
  __shared__ alignas(128) float buffer[32];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::barrier_init(&barrier, 1);
    ptx::fence_barrier_init();
  }
  memory[threadIdx.x] = static_cast<float>(threadIdx.x);
  ptx::fence_async_global();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::barrier_arrive_expect(&barrier, sizeof buffer);
    ptx::bulk_load(buffer, memory, sizeof buffer, &barrier);
  }
  ptx::barrier_wait(&barrier, 0);
  out[threadIdx.x] = buffer[threadIdx.x];
}

TEST_F(Threads, OrdinaryWritesAreSeenByTmaAfterTheFence) {
  DeviceArray<float> memory(32, -1.0F);
  DeviceArray<float> out(32, -1.0F);
  proxies<<<1, 32>>>(memory.data(), out.data());
  const auto got = out.values();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], static_cast<float>(i));
}

__global__ void arithmetic(const float* in, float* out) {
  const float x = in[threadIdx.x];
  float* mine = out + threadIdx.x * 7;
  mine[0] = ptx::fast_exp2(x);
  mine[1] = ptx::fast_log2(x * x + 1);
  mine[2] = ptx::fast_reciprocal(x * x + 1);
  mine[3] = ptx::quad_max(x);
  mine[4] = ptx::quad_sum(x);
  mine[5] = ptx::low_bf16(ptx::pack_bf16(1.5F, -2.0F));
  mine[6] = ptx::high_bf16(ptx::pack_bf16(1.5F, -2.0F));
}

TEST_F(Threads, Arithmetic) {
  std::vector<float> values(32);
  for (int i = 0; i < 32; ++i) values[i] = 0.37F * static_cast<float>(i) - 6.0F;
  DeviceArray<float> in(values);
  DeviceArray<float> out(32 * 7, -1.0F);
  arithmetic<<<1, 32>>>(in.data(), out.data());
  const auto got = out.values();
  for (int i = 0; i < 32; ++i) {
    const float x = values[i];
    const float* mine = &got[i * 7];
    const float* quad = &values[i / 4 * 4];
    EXPECT_NEAR(mine[0] / std::exp2(x), 1, 1e-6);
    EXPECT_NEAR(mine[1], std::log2(x * x + 1), 1e-5);
    EXPECT_NEAR(mine[2] * (x * x + 1), 1, 1e-6);
    EXPECT_EQ(mine[3], *std::max_element(quad, quad + 4));
    EXPECT_NEAR(mine[4], quad[0] + quad[1] + quad[2] + quad[3], 1e-5);
    EXPECT_EQ(mine[5], 1.5F);
    EXPECT_EQ(mine[6], -2.0F);
  }
}

}  // namespace
