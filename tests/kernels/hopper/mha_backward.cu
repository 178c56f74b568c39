// dQ, dK and dV of attention for D = 128 in bf16, with the pack's templates, in the two-kernel
// scheme of its guidance: delta first, then a kernel whose blocks own 128 keys (dK, dV; everything
// transposed, so that each product's result is the next one's A operand), then one whose blocks own
// 128 queries (dQ). No atomics. -DCAUSAL=1 makes the causal kernels.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include "arithmetic.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

#ifndef CAUSAL
#define CAUSAL 0
#endif

namespace {

constexpr bool kCausal = CAUSAL != 0;
constexpr int kWidth = 128;
constexpr int kHalf = 64;    // columns of a box with 128-byte swizzle
constexpr int kOwned = 128;  // rows that a block owns
constexpr int kStep = 64;    // rows of a step over the other side
constexpr int kStages = 2;
constexpr int kConsumers = 2;
constexpr int kThreads = (1 + kConsumers) * ptx::kWarpgroupThreads;
constexpr std::uint32_t kStepBytes = kStep * kWidth * sizeof(__nv_bfloat16);
constexpr std::uint32_t kOwnedBytes = kOwned * kWidth * sizeof(__nv_bfloat16);

// The owned tensors are x and y (K and V, or Q and dO), the streamed ones z and w (Q and dO, or K
// and V). Owned boxes are one consumer's 64 rows; they take its outputs at the end.
struct alignas(1024) Shared {
  __nv_bfloat16 x[kConsumers][2][64 * kHalf];
  __nv_bfloat16 y[kConsumers][2][64 * kHalf];
  __nv_bfloat16 z[kStages][2][kStep * kHalf];
  __nv_bfloat16 w[kStages][2][kStep * kHalf];
  alignas(128) float lse[kStages][kStep];    // times log2(e); for the streamed queries
  alignas(128) float delta[kStages][kStep];  // times the scale
  std::uint64_t owned;
  std::uint64_t full[kStages];
  std::uint64_t empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;

struct Sizes {
  int heads;
  int tokens;
};

using Accumulator = float[kWidth / 2];  // 64 rows x 128
using Tile = float[kStep / 2];          // 64 rows x 64
using Fragments = std::uint32_t[kStep / 16][4];

// Who reads a stage's lse and delta arrives for himself; of those that use wgmma alone a warp's
// first lane does for all.
__device__ void start(Shared& shared, int arrivals) {
  if (threadIdx.x == 0) {
    ptx::barrier_init(&shared.owned, 1);
    for (int i = 0; i < kStages; ++i) {
      ptx::barrier_init(&shared.full[i], 1);
      ptx::barrier_init(&shared.empty[i], arrivals);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
}

__device__ Shared& shared_memory() {
  extern __shared__ char memory[];
  const std::uint32_t unaligned = ptx::shared_address(memory);
  return *reinterpret_cast<Shared*>(memory + ((1024 - unaligned % 1024) % 1024));
}

// Steps [first, last) over the other side for the block that owns rows from `row`.
__device__ void range(bool owns_keys, int row, int tokens, int& first, int& last) {
  first = kCausal && owns_keys ? row / kStep : 0;
  last = tokens / kStep;
  if (kCausal && !owns_keys) last = min(last, (row + kOwned) / kStep);
}

__device__ void produce(Shared& shared, bool owns_keys, const CUtensorMap* x, const CUtensorMap* y,
                        const CUtensorMap* z, const CUtensorMap* w, const float* lse,
                        const float* delta, Sizes sizes, int row, int head) {
  ptx::barrier_arrive_expect(&shared.owned, 2 * kOwnedBytes);
  for (int c = 0; c < kConsumers; ++c) {
    for (int half = 0; half < 2; ++half) {
      ptx::tma_load_3d(shared.x[c][half], x, &shared.owned, half * kHalf, row + c * 64, head);
      ptx::tma_load_3d(shared.y[c][half], y, &shared.owned, half * kHalf, row + c * 64, head);
    }
  }
  int first, last;
  range(owns_keys, row, sizes.tokens, first, last);
  ptx::RingPosition<kStages> stage;
  for (int i = first; i < last; ++i) {
    std::uint64_t* full = &shared.full[stage.index];
    ptx::barrier_wait(&shared.empty[stage.index], stage.parity ^ 1);
    ptx::barrier_arrive_expect(full, 2 * kStepBytes + (owns_keys ? 2 * kStep * 4 : 0));
    for (int half = 0; half < 2; ++half) {
      ptx::tma_load_3d(shared.z[stage.index][half], z, full, half * kHalf, i * kStep, head);
      ptx::tma_load_3d(shared.w[stage.index][half], w, full, half * kHalf, i * kStep, head);
    }
    if (owns_keys) {
      const std::int64_t at = static_cast<std::int64_t>(head) * sizes.tokens + i * kStep;
      ptx::bulk_load(shared.lse[stage.index], lse + at, kStep * 4, full);
      ptx::bulk_load(shared.delta[stage.index], delta + at, kStep * 4, full);
    }
    stage.advance();
  }
}

// d = own * streamed^T over D: 64 x 64.
__device__ __forceinline__ void issue_tile(Tile& d, const __nv_bfloat16 (&own)[2][64 * kHalf],
                                           const __nv_bfloat16 (&streamed)[2][kStep * kHalf]) {
#pragma unroll
  for (int k = 0; k < kWidth; k += 16) {
    ptx::wgmma_ss<kStep>(d, ptx::k_major<ptx::Swizzle::k128>(&own[k / kHalf][k % kHalf]),
                         ptx::k_major<ptx::Swizzle::k128>(&streamed[k / kHalf][k % kHalf]), k > 0);
  }
}

// d += fragments * streamed, summed over the streamed rows.
__device__ __forceinline__ void issue_sum(Accumulator& d, const Fragments& a,
                                          const __nv_bfloat16 (&streamed)[2][kStep * kHalf]) {
#pragma unroll
  for (int k = 0; k < kStep; k += 16) {
    ptx::wgmma_rs<kWidth, true>(
        d, a[k / 16],
        ptx::mn_major<ptx::Swizzle::k128>(&streamed[0][k * kHalf],
                                          kStep * kHalf * sizeof(__nv_bfloat16)));
  }
}

__device__ __forceinline__ void to_fragments(Fragments& a, const Tile& d) {
#pragma unroll
  for (int k = 0; k < kStep / 16; ++k) {
    ptx::accumulator_to_a(a[k], d, k);
    ptx::keep_registers(a[k]);
  }
}

__device__ void write_out(__nv_bfloat16 (&boxes)[2][64 * kHalf], const Accumulator& d,
                          const CUtensorMap* map, int row, int head, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % ptx::kWarpgroupThreads;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    ptx::store_accumulator_box(boxes[half], d, half * 4, thread);
  }
  ptx::fence_async_shared();
  ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
  if (ptx::warp_index() % 4 == 0 && ptx::elect_one()) {
    for (int half = 0; half < 2; ++half) {
      ptx::tma_store_3d(map, boxes[half], half * kHalf, row, head);
    }
    ptx::store_commit();
    ptx::store_wait_read<0>();
  }
}

__device__ void consume_keys(Shared& shared, const CUtensorMap* map_dk, const CUtensorMap* map_dv,
                             Sizes sizes, float scale, int row, int head, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % ptx::kWarpgroupThreads;
  const float scale_log2 = scale * ptx::kLog2E;
  Accumulator dk, dv;
#pragma unroll
  for (int i = 0; i < kWidth / 2; ++i) dk[i] = dv[i] = 0;
  int first, last;
  range(true, row, sizes.tokens, first, last);
  ptx::RingPosition<kStages> stage;
  ptx::barrier_wait(&shared.owned, 0);
  for (int i = first; i < last; ++i) {
    const int s = stage.index;
    Tile p, dp;
    Fragments a;
    ptx::barrier_wait(&shared.full[s], stage.parity);
    ptx::wgmma_fence();
    issue_tile(p, shared.x[consumer], shared.z[s]);  // S^T = K Q^T
    ptx::wgmma_commit();
    issue_tile(dp, shared.y[consumer], shared.w[s]);  // dP^T = V dO^T
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    ptx::keep_registers(p);
    const bool diagonal = kCausal && i * kStep < row + kOwned;
#pragma unroll
    for (int e = 0; e < kStep / 2; e += 2) {
      const int column = ptx::accumulator_column(thread, e);
      const float2 lse = *reinterpret_cast<const float2*>(&shared.lse[s][column]);
      p[e] = ptx::fast_exp2(fmaf(p[e], scale_log2, -lse.x));
      p[e + 1] = ptx::fast_exp2(fmaf(p[e + 1], scale_log2, -lse.y));
      if (diagonal) {
        const int key = row + consumer * 64 + ptx::accumulator_row(thread, e);
        if (key > i * kStep + column) p[e] = 0;
        if (key > i * kStep + column + 1) p[e + 1] = 0;
      }
    }
    to_fragments(a, p);
    ptx::keep_registers(dv);
    ptx::wgmma_fence();
    issue_sum(dv, a, shared.w[s]);  // dV += P^T dO
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    ptx::keep_registers(dp);
#pragma unroll
    for (int e = 0; e < kStep / 2; e += 2) {
      const int column = ptx::accumulator_column(thread, e);
      const float2 delta = *reinterpret_cast<const float2*>(&shared.delta[s][column]);
      dp[e] = p[e] * fmaf(dp[e], scale, -delta.x);
      dp[e + 1] = p[e + 1] * fmaf(dp[e + 1], scale, -delta.y);
    }
    Fragments b;
    to_fragments(b, dp);
    ptx::keep_registers(dk);
    ptx::wgmma_fence();
    issue_sum(dk, b, shared.z[s]);  // dK += dS^T Q
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(dk);
    ptx::keep_registers(dv);
    ptx::barrier_arrive(&shared.empty[s]);
    stage.advance();
  }
  // This warpgroup's products are complete: K and V of its rows are not needed any more.
  ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
  write_out(shared.x[consumer], dk, map_dk, row + consumer * 64, head, consumer);
  write_out(shared.y[consumer], dv, map_dv, row + consumer * 64, head, consumer);
}

__device__ void consume_queries(Shared& shared, const CUtensorMap* map_dq, const float* lse,
                                const float* delta, Sizes sizes, float scale, int row, int head,
                                int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % ptx::kWarpgroupThreads;
  const float scale_log2 = scale * ptx::kLog2E;
  Accumulator dq;
#pragma unroll
  for (float& x : dq) x = 0;
  float row_lse[2] = {0, 0};
  float row_delta[2] = {0, 0};
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int query = row + consumer * 64 + ptx::accumulator_row(thread, 2 * r);
    if (query >= sizes.tokens) continue;
    const std::int64_t at = static_cast<std::int64_t>(head) * sizes.tokens + query;
    row_lse[r] = lse[at];
    row_delta[r] = delta[at];
  }
  int first, last;
  range(false, row, sizes.tokens, first, last);
  ptx::RingPosition<kStages> stage;
  ptx::barrier_wait(&shared.owned, 0);
  for (int i = first; i < last; ++i) {
    const int s = stage.index;
    Tile p, dp;
    Fragments a;
    ptx::barrier_wait(&shared.full[s], stage.parity);
    ptx::wgmma_fence();
    issue_tile(p, shared.x[consumer], shared.z[s]);  // S = Q K^T
    ptx::wgmma_commit();
    issue_tile(dp, shared.y[consumer], shared.w[s]);  // dP = dO V^T
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    ptx::keep_registers(p);
    const bool diagonal = kCausal && (i + 1) * kStep > row;
#pragma unroll
    for (int e = 0; e < kStep / 2; ++e) {
      p[e] = ptx::fast_exp2(fmaf(p[e], scale_log2, -row_lse[(e / 2) % 2]));
      if (diagonal) {
        const int query = row + consumer * 64 + ptx::accumulator_row(thread, e);
        if (i * kStep + ptx::accumulator_column(thread, e) > query) p[e] = 0;
      }
    }
    ptx::wgmma_wait<0>();
    ptx::keep_registers(dp);
#pragma unroll
    for (int e = 0; e < kStep / 2; ++e) p[e] *= fmaf(dp[e], scale, -row_delta[(e / 2) % 2]);
    to_fragments(a, p);
    ptx::keep_registers(dq);
    ptx::wgmma_fence();
    issue_sum(dq, a, shared.z[s]);  // dQ += dS K
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(dq);
    if (ptx::lane_index() == 0) ptx::barrier_arrive(&shared.empty[s]);
    stage.advance();
  }
  ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
  write_out(shared.x[consumer], dq, map_dq, row + consumer * 64, head, consumer);
}

// Blocks of long rows first, eight heads at a time.
__device__ void place(bool owns_keys, Sizes sizes, int& row, int& head) {
  const int tiles = (sizes.tokens + kOwned - 1) / kOwned;
  const int group = blockIdx.x / (8 * tiles);
  const int members = min(8, sizes.heads - group * 8);
  const int rest = blockIdx.x - group * 8 * tiles;
  head = group * 8 + rest % members;
  const int tile = rest / members;
  row = (kCausal && !owns_keys ? tiles - 1 - tile : tile) * kOwned;
}

__global__ void __launch_bounds__(kThreads, 1)
    key_gradients(const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
                  const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap d_o,
                  const __grid_constant__ CUtensorMap dk, const __grid_constant__ CUtensorMap dv,
                  const float* lse, const float* delta, Sizes sizes, float scale) {
  Shared& shared = shared_memory();
  start(shared, kConsumers * ptx::kWarpgroupThreads);
  int row, head;
  place(true, sizes, row, head);
  const int warpgroup = ptx::warpgroup_index();
  if (warpgroup == 0) {
    ptx::decrease_registers<24>();
    if (ptx::warp_index() == 0 && ptx::elect_one()) {
      produce(shared, true, &k, &v, &q, &d_o, lse, delta, sizes, row, head);
    }
  } else {
    ptx::increase_registers<240>();
    consume_keys(shared, &dk, &dv, sizes, scale, row, head, warpgroup - 1);
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    query_gradients(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap d_o,
                    const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
                    const __grid_constant__ CUtensorMap dq, const float* lse, const float* delta,
                    Sizes sizes, float scale) {
  Shared& shared = shared_memory();
  start(shared, kConsumers * 4);
  int row, head;
  place(false, sizes, row, head);
  const int warpgroup = ptx::warpgroup_index();
  if (warpgroup == 0) {
    ptx::decrease_registers<24>();
    if (ptx::warp_index() == 0 && ptx::elect_one()) {
      produce(shared, false, &q, &d_o, &k, &v, lse, delta, sizes, row, head);
    }
  } else {
    ptx::increase_registers<240>();
    consume_queries(shared, &dq, lse, delta, sizes, scale, row, head, warpgroup - 1);
  }
}

// A warp for each row: delta = scale * sum of dO * O, and the log-sum-exp to base 2.
__global__ void prepare(const uint2* o, const uint2* d_o, const float* l, float* lse, float* delta,
                        std::int64_t rows, float scale) {
  const std::int64_t row = (blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x) / 32;
  if (row >= rows) return;
  const int lane = ptx::lane_index();
  const uint2 x = o[row * 32 + lane];
  const uint2 y = d_o[row * 32 + lane];
  float sum = ptx::low_bf16(x.x) * ptx::low_bf16(y.x) + ptx::high_bf16(x.x) * ptx::high_bf16(y.x) +
              ptx::low_bf16(x.y) * ptx::low_bf16(y.y) + ptx::high_bf16(x.y) * ptx::high_bf16(y.y);
  for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, i);
  if (lane == 0) {
    delta[row] = scale * sum;
    lse[row] = l[row] * ptx::kLog2E;
  }
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void run_backward(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v,
                  tvm::ffi::TensorView o, tvm::ffi::TensorView d_o, tvm::ffi::TensorView l,
                  tvm::ffi::TensorView dq, tvm::ffi::TensorView dk, tvm::ffi::TensorView dv) {
  const std::int64_t heads = q.size(0) * q.size(1);
  const std::int64_t tokens = q.size(2);
  if (q.size(3) != kWidth) throw std::runtime_error("this kernel is for heads of width 128");
  if (tokens % kOwned != 0) throw std::runtime_error("this kernel is for multiples of 128 tokens");
  const std::int64_t rows = heads * tokens;
  const DLDevice device = q.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  static float* scratch = nullptr;
  static std::int64_t scratch_rows = 0;
  if (scratch_rows < rows) {
    check(cudaMalloc(&scratch, 2 * rows * sizeof(float)));
    scratch_rows = rows;
  }
  float* lse = scratch;
  float* delta = scratch + rows;
  const float scale = 1.0F / std::sqrt(static_cast<float>(kWidth));
  prepare<<<static_cast<unsigned>((rows * 32 + 255) / 256), 256, 0, stream>>>(
      static_cast<const uint2*>(o.data_ptr()), static_cast<const uint2*>(d_o.data_ptr()),
      static_cast<const float*>(l.data_ptr()), lse, delta, rows, scale);
  const auto map = [&](tvm::ffi::TensorView t) {
    return ptx::make_batched_map(t.data_ptr(), heads, tokens, kWidth, 64, kHalf,
                                 ptx::Swizzle::k128);
  };
  const Sizes sizes{static_cast<int>(heads), static_cast<int>(tokens)};
  const auto blocks = static_cast<unsigned>(heads * (tokens / kOwned));
  const auto shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
  check(cudaFuncSetAttribute(key_gradients, shared, kSharedBytes));
  check(cudaFuncSetAttribute(query_gradients, shared, kSharedBytes));
  key_gradients<<<blocks, kThreads, kSharedBytes, stream>>>(
      map(k), map(v), map(q), map(d_o), map(dk), map(dv), lse, delta, sizes, scale);
  query_gradients<<<blocks, kThreads, kSharedBytes, stream>>>(map(q), map(d_o), map(k), map(v),
                                                              map(dq), lse, delta, sizes, scale);
  check(cudaGetLastError());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_backward);
