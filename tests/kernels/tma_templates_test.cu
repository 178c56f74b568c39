// TMA of the Hopper pack: loads of every rank and swizzle with parts outside of the tensor,
// multicast, stores, reductions, plain bulk copies, and rings of barriers over many phases.
#include "arithmetic.cuh"
#include "cluster.cuh"
#include "fragment.cuh"
#include "tests/kernels/device_test.cuh"
#include "tma.cuh"

namespace {

using ptx::Swizzle;

constexpr int kBoxBytes = 8192;

__device__ void begin(std::uint64_t* barrier, int arrivals) {
  if (threadIdx.x == 0) {
    ptx::barrier_init(barrier, arrivals);
    ptx::fence_barrier_init();
  }
  __syncthreads();
}

// How the kernels below move a box of `Rank` dimensions.
template <int Rank>
struct At {
  int x[Rank];
};
template <int Rank>
__device__ void load(void* to, const CUtensorMap* map, std::uint64_t* barrier, At<Rank> at) {
  if constexpr (Rank == 2) ptx::tma_load_2d(to, map, barrier, at.x[0], at.x[1]);
  if constexpr (Rank == 3) ptx::tma_load_3d(to, map, barrier, at.x[0], at.x[1], at.x[2]);
  if constexpr (Rank == 4) ptx::tma_load_4d(to, map, barrier, at.x[0], at.x[1], at.x[2], at.x[3]);
  if constexpr (Rank == 5) {
    ptx::tma_load_5d(to, map, barrier, at.x[0], at.x[1], at.x[2], at.x[3], at.x[4]);
  }
}
template <int Rank>
__device__ void store(const CUtensorMap* map, const void* from, At<Rank> at) {
  if constexpr (Rank == 2) ptx::tma_store_2d(map, from, at.x[0], at.x[1]);
  if constexpr (Rank == 3) ptx::tma_store_3d(map, from, at.x[0], at.x[1], at.x[2]);
  if constexpr (Rank == 4) ptx::tma_store_4d(map, from, at.x[0], at.x[1], at.x[2], at.x[3]);
  if constexpr (Rank == 5) {
    ptx::tma_store_5d(map, from, at.x[0], at.x[1], at.x[2], at.x[3], at.x[4]);
  }
}

// The box as it lies in shared memory.
template <int Rank>
__global__ void load_box(const __grid_constant__ CUtensorMap map, At<Rank> at, int bytes,
                         unsigned char* out, bool with_hint) {
  __shared__ std::uint64_t barrier;
  char* box = aligned_shared_memory();
  begin(&barrier, 1);
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map);
    ptx::barrier_arrive_expect(&barrier, bytes);
    if constexpr (Rank == 2) {
      ptx::tma_prefetch_2d(&map, at.x[0], at.x[1]);
      if (with_hint) {
        ptx::tma_load_2d_hint(box, &map, &barrier, at.x[0], at.x[1], ptx::kEvictFirst);
      } else {
        load(box, &map, &barrier, at);
      }
    } else {
      load(box, &map, &barrier, at);
    }
  }
  ptx::barrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i];
}

template <int Rank>
__global__ void store_box(const __grid_constant__ CUtensorMap map, At<Rank> at, int bytes,
                          const unsigned char* in) {
  char* box = aligned_shared_memory();
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = in[i];
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    store(&map, box, at);
    ptx::store_commit();
    ptx::store_wait<0>();
  }
}

template <int Rank>
__global__ void add_box(const __grid_constant__ CUtensorMap map, At<Rank> at, int bytes,
                        const unsigned char* in) {
  char* box = aligned_shared_memory();
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = in[i];
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    if constexpr (Rank == 2) ptx::tma_reduce_add_2d(&map, box, at.x[0], at.x[1]);
    if constexpr (Rank == 3) ptx::tma_reduce_add_3d(&map, box, at.x[0], at.x[1], at.x[2]);
    ptx::store_commit();
    ptx::store_wait_read<0>();
  }
}

// A tensor of small integers and one box of it: what each element of the box should be.
template <int Rank>
struct Case {
  std::uint64_t sizes[Rank];
  std::uint32_t box[Rank];
  At<Rank> at;

  std::size_t elements() const {
    std::size_t n = 1;
    for (const std::uint64_t size : sizes) n *= size;
    return n;
  }
  int box_elements() const {
    int n = 1;
    for (const std::uint32_t size : box) n *= static_cast<int>(size);
    return n;
  }
  CUtensorMap map(const void* data, Swizzle swizzle) const {
    std::uint64_t strides[Rank - 1];
    std::uint64_t stride = sizeof(bf16);
    for (int i = 0; i + 1 < Rank; ++i) {
      stride *= sizes[i];
      strides[i] = stride;
    }
    return ptx::make_tensor_map<Rank>(data, sizes, strides, box, swizzle);
  }
  /// Flat index in the tensor of the box's element `i` (contiguous dimension first), -1 outside.
  std::int64_t source(int i) const {
    std::int64_t flat = 0;
    std::int64_t step = 1;
    for (int d = 0; d < Rank; ++d) {
      const std::int64_t x = at.x[d] + i % static_cast<int>(box[d]);
      i /= static_cast<int>(box[d]);
      if (x < 0 || x >= static_cast<std::int64_t>(sizes[d])) return -1;
      flat += x * step;
      step *= static_cast<std::int64_t>(sizes[d]);
    }
    return flat;
  }
};

std::uint32_t offset_in_box(Swizzle swizzle, int row, int byte_column, int row_bytes) {
  switch (swizzle) {
    case Swizzle::k128:
      return ptx::swizzled_offset<Swizzle::k128>(row, byte_column);
    case Swizzle::k64:
      return ptx::swizzled_offset<Swizzle::k64>(row, byte_column);
    case Swizzle::k32:
      return ptx::swizzled_offset<Swizzle::k32>(row, byte_column);
    default:
      return ptx::swizzled_offset<Swizzle::kNone>(row, byte_column, row_bytes);
  }
}

class Tma : public DeviceTest {
 protected:
  template <int Rank>
  void expect_load(const Case<Rank>& test, Swizzle swizzle, bool with_hint = false) {
    SCOPED_TRACE("rank " + std::to_string(Rank) + ", swizzle " +
                 std::to_string(static_cast<int>(swizzle)));
    const auto tensor = small_integers(test.elements(), 11);
    DeviceArray<bf16> device(tensor);
    const int bytes = test.box_elements() * static_cast<int>(sizeof(bf16));
    ASSERT_LE(bytes, kBoxBytes);
    DeviceArray<unsigned char> out(bytes, 0xEE);
    load_box<Rank><<<1, 128, kBoxBytes + 1024>>>(test.map(device.data(), swizzle), test.at, bytes,
                                                 out.data(), with_hint);
    const auto got = out.values();
    const int columns = static_cast<int>(test.box[0]);
    for (int i = 0; i < test.box_elements(); ++i) {
      const std::uint32_t offset =
          offset_in_box(swizzle, i / columns, i % columns * 2, columns * 2);
      bf16 value;
      std::memcpy(&value, &got[offset], sizeof value);
      const std::int64_t source = test.source(i);
      const float expected = source < 0 ? 0.0F : __bfloat162float(tensor[source]);
      ASSERT_EQ(__bfloat162float(value), expected) << "element " << i << " of the box";
    }
  }

  // Stores (or adds) a box of numbers and expects them, and nothing else, in the tensor.
  template <int Rank>
  void expect_store(const Case<Rank>& test, Swizzle swizzle, bool add = false) {
    SCOPED_TRACE("rank " + std::to_string(Rank) + ", swizzle " +
                 std::to_string(static_cast<int>(swizzle)));
    auto expected = small_integers(test.elements(), 12);
    const auto values = small_integers(test.box_elements(), 13);
    DeviceArray<bf16> device(expected);
    const int bytes = test.box_elements() * static_cast<int>(sizeof(bf16));
    std::vector<unsigned char> box(bytes);
    const int columns = static_cast<int>(test.box[0]);
    for (int i = 0; i < test.box_elements(); ++i) {
      const std::uint32_t offset =
          offset_in_box(swizzle, i / columns, i % columns * 2, columns * 2);
      std::memcpy(&box[offset], &values[i], sizeof(bf16));
      const std::int64_t target = test.source(i);
      if (target < 0) continue;
      const float before = add ? __bfloat162float(expected[target]) : 0.0F;
      expected[target] = __float2bfloat16(before + __bfloat162float(values[i]));
    }
    DeviceArray<unsigned char> in(box);
    const auto map = test.map(device.data(), swizzle);
    if constexpr (Rank <= 3) {
      if (add) {
        add_box<Rank><<<1, 128, kBoxBytes + 1024>>>(map, test.at, bytes, in.data());
      } else {
        store_box<Rank><<<1, 128, kBoxBytes + 1024>>>(map, test.at, bytes, in.data());
      }
    } else {
      store_box<Rank><<<1, 128, kBoxBytes + 1024>>>(map, test.at, bytes, in.data());
    }
    const auto got = device.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(__bfloat162float(got[i]), __bfloat162float(expected[i])) << "element " << i;
    }
  }
};

const Case<2> kInside{{104, 50}, {64, 32}, {{8, 3}}};
const Case<2> kPastBothEnds{{104, 50}, {64, 32}, {{72, 40}}};
const Case<2> kBeforeBoth{{104, 50}, {64, 32}, {{-16, -5}}};
const Case<2> kHalfWidth{{104, 50}, {32, 32}, {{80, 30}}};
const Case<2> kQuarterWidth{{104, 50}, {16, 32}, {{96, 30}}};
const Case<3> kThree{{72, 20, 6}, {64, 8, 3}, {{16, 14, 4}}};
const Case<4> kFour{{40, 9, 5, 4}, {32, 4, 2, 3}, {{16, 7, 4, 2}}};
const Case<5> kFive{{24, 6, 5, 4, 3}, {16, 4, 2, 2, 2}, {{16, 4, 4, 3, 2}}};
// Loads only: a store with a negative coordinate is an illegal instruction.
const Case<2> kBeforeWithSwizzle{{104, 50}, {16, 32}, {{-8, 30}}};
const Case<4> kFourBefore{{40, 9, 5, 4}, {32, 4, 2, 3}, {{16, 7, -1, 2}}};
const Case<5> kFiveBefore{{24, 6, 5, 4, 3}, {16, 4, 2, 2, 2}, {{-8, 4, 3, 3, 2}}};

TEST_F(Tma, LoadsOfEverySwizzleWithZerosOutside) {
  for (const Case<2>& test : {kInside, kPastBothEnds, kBeforeBoth}) {
    expect_load(test, Swizzle::k128);
    expect_load(test, Swizzle::kNone);
  }
  expect_load(kInside, Swizzle::k128, true);
  expect_load(kHalfWidth, Swizzle::k64);
  expect_load(kQuarterWidth, Swizzle::k32);
  expect_load(kBeforeWithSwizzle, Swizzle::k32);
}

TEST_F(Tma, LoadsOfEveryRank) {
  expect_load(kThree, Swizzle::k128);
  expect_load(kThree, Swizzle::kNone);
  expect_load(kFour, Swizzle::k64);
  expect_load(kFive, Swizzle::k32);
  expect_load(kFourBefore, Swizzle::k64);
  expect_load(kFiveBefore, Swizzle::k32);
}

TEST_F(Tma, StoresOfEveryRankLeaveOutWhatIsPastTheEnd) {
  for (const Case<2>& test : {kInside, kPastBothEnds}) {
    expect_store(test, Swizzle::k128);
    expect_store(test, Swizzle::kNone);
  }
  expect_store(kHalfWidth, Swizzle::k64);
  expect_store(kQuarterWidth, Swizzle::k32);
  expect_store(kThree, Swizzle::k128);
  expect_store(kFour, Swizzle::k64);
  expect_store(kFive, Swizzle::k32);
}

TEST_F(Tma, ReductionsAddElementByElement) {
  expect_store(kPastBothEnds, Swizzle::k128, true);
  expect_store(kThree, Swizzle::k128, true);
}

// Every block loads a quarter of the tile's rows for all; `three` says how.
template <bool Three>
__global__ void __cluster_dims__(4, 1, 1)
    multicast(const __grid_constant__ CUtensorMap map, bf16* out) {
  __shared__ std::uint64_t barrier;
  auto* box = reinterpret_cast<bf16*>(aligned_shared_memory());
  begin(&barrier, 1);
  ptx::cluster_sync();
  const int rank = static_cast<int>(ptx::cluster_rank());
  if (threadIdx.x == 0) {
    ptx::barrier_arrive_expect(&barrier, 64 * 32 * sizeof(bf16));
    if constexpr (Three) {
      ptx::tma_load_3d_multicast(box + rank * 8 * 64, &map, &barrier, 0, rank * 8, 1, 0xF);
    } else {
      ptx::tma_load_2d_multicast(box + rank * 8 * 64, &map, &barrier, 0, rank * 8, 0xF);
    }
  }
  ptx::barrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) out[rank * 64 * 32 + i] = box[i];
  ptx::cluster_sync();
}

TEST_F(Tma, MulticastReachesEveryBlock) {
  const auto tensor = small_integers(64 * 32 * 2, 14);
  DeviceArray<bf16> device(tensor);
  for (const bool three : {false, true}) {
    DeviceArray<bf16> out(4 * 64 * 32, __float2bfloat16(99.0F));
    if (three) {
      multicast<true><<<4, 128, kBoxBytes + 1024>>>(
          ptx::make_batched_map(device.data(), 2, 32, 64, 8, 64, Swizzle::kNone), out.data());
    } else {
      multicast<false><<<4, 128, kBoxBytes + 1024>>>(
          ptx::make_matrix_map(device.data(), 32, 64, 8, 64, Swizzle::kNone), out.data());
    }
    const auto got = out.values();
    for (int i = 0; i < 4 * 64 * 32; ++i) {
      ASSERT_EQ(__bfloat162float(got[i]),
                __bfloat162float(tensor[i % (64 * 32) + (three ? 64 * 32 : 0)]))
          << i;
    }
  }
}

__global__ void copy_in_bulk(const float* in, float* out, float* sums, int count) {
  __shared__ std::uint64_t barrier;
  auto* buffer = reinterpret_cast<float*>(aligned_shared_memory());
  begin(&barrier, 1);
  if (threadIdx.x == 0) {
    ptx::barrier_arrive_expect(&barrier, count * sizeof(float));
    ptx::bulk_load(buffer, in, count * sizeof(float), &barrier);
  }
  ptx::barrier_wait(&barrier, 0);
  if (threadIdx.x == 0) {
    ptx::bulk_store(out, buffer, count * sizeof(float));
    ptx::bulk_reduce_add_f32(sums, buffer, count * sizeof(float));
    ptx::store_commit();
    ptx::store_wait<0>();
  }
}

TEST_F(Tma, BulkCopiesAndAdditions) {
  constexpr int kCount = 1000;
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = small_integer(i);
  DeviceArray<float> in(values);
  DeviceArray<float> out(kCount, -1.0F);
  DeviceArray<float> sums(kCount, 5.0F);
  copy_in_bulk<<<3, 64, kBoxBytes + 1024>>>(in.data(), out.data(), sums.data(), kCount);
  EXPECT_EQ(out.values(), values);
  for (float& value : values) value = 3 * value + 5;
  EXPECT_EQ(sums.values(), values);
}

// A ring of `Stages`, a producer that loads row after row, and two consumer warpgroups that sum
// them.
template <int Stages>
__global__ void __launch_bounds__(384, 1) ring(const float* rows, int count, float* sums) {
  __shared__ alignas(128) float buffers[Stages][128];
  __shared__ std::uint64_t full[Stages];
  __shared__ std::uint64_t empty[Stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < Stages; ++i) {
      ptx::barrier_init(&full[i], 1);
      ptx::barrier_init(&empty[i], 256);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  ptx::RingPosition<Stages> stage;
  const int warpgroup = ptx::warpgroup_index();
  if (warpgroup == 0) {
    ptx::decrease_registers<24>();
    if (ptx::warp_index() == 0 && ptx::elect_one()) {
      for (int i = 0; i < count; ++i) {
        ptx::barrier_wait(&empty[stage.index], stage.parity ^ 1);
        ptx::barrier_arrive_expect(&full[stage.index], sizeof buffers[0]);
        ptx::bulk_load(buffers[stage.index], rows + i * 128, sizeof buffers[0], &full[stage.index]);
        stage.advance();
      }
    }
  } else {
    ptx::increase_registers<240>();
    const int thread = threadIdx.x % 128;
    float sum = 0;
    for (int i = 0; i < count; ++i) {
      ptx::barrier_wait(&full[stage.index], stage.parity);
      sum += buffers[stage.index][thread] * static_cast<float>(i % 7);
      ptx::barrier_arrive(&empty[stage.index]);
      stage.advance();
    }
    sums[(warpgroup - 1) * 128 + thread] = sum;
  }
}

TEST_F(Tma, ARingKeepsItsOrderOverManyPhases) {
  constexpr int kCount = 999;
  std::vector<float> rows(kCount * 128);
  std::vector<float> expected(256);
  for (int i = 0; i < kCount * 128; ++i) {
    rows[i] = small_integer(i);
    expected[i % 128] += rows[i] * static_cast<float>(i / 128 % 7);
    expected[128 + i % 128] = expected[i % 128];
  }
  DeviceArray<float> device(rows);
  DeviceArray<float> sums(256, -1.0F);
  ring<1><<<1, 384>>>(device.data(), kCount, sums.data());
  EXPECT_EQ(sums.values(), expected);
  ring<2><<<1, 384>>>(device.data(), kCount, sums.data());
  EXPECT_EQ(sums.values(), expected);
  ring<5><<<1, 384>>>(device.data(), kCount, sums.data());
  EXPECT_EQ(sums.values(), expected);
}

}  // namespace
