// O = softmax(Q * K^T / sqrt(D)) * V and its log-sum-exp for D = 128 in bf16, with the pack's
// templates: a producer warp, and two warpgroups that each own 64 queries of a block's 128. While
// the tensor cores compute the next scores, the softmax of the last ones runs (overlap inside of a
// warpgroup), and the two warpgroups take turns in issuing products (ping-pong).
// -DCAUSAL=1 makes the causal kernel.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include "arithmetic.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef PING_PONG
#define PING_PONG 1
#endif

namespace {

constexpr bool kCausal = CAUSAL != 0;
constexpr bool kPingPong = PING_PONG != 0;
constexpr int kWidth = 128;    // of a head
constexpr int kQueries = 128;  // of a block
constexpr int kKeys = 128;     // of a step
constexpr int kStages = 2;
constexpr int kConsumers = 2;
constexpr int kThreads = (1 + kConsumers) * ptx::kWarpgroupThreads;
constexpr int kHalf = 64;  // columns of a box with 128-byte swizzle

struct alignas(1024) Shared {
  __nv_bfloat16 q[kConsumers][2][64 * kHalf];  // a consumer's queries; later its output
  __nv_bfloat16 k[kStages][2][kKeys * kHalf];
  __nv_bfloat16 v[kStages][2][kKeys * kHalf];
  std::uint64_t q_full;
  std::uint64_t q_empty;
  std::uint64_t k_full[kStages];
  std::uint64_t k_empty[kStages];
  std::uint64_t v_full[kStages];
  std::uint64_t v_empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;
constexpr std::uint32_t kQueryBytes = kQueries * kWidth * sizeof(__nv_bfloat16);
constexpr std::uint32_t kStepBytes = kKeys * kWidth * sizeof(__nv_bfloat16);

struct Sizes {
  int heads;  // batch * heads
  int tokens;

  __device__ int query_tiles() const { return (tokens + kQueries - 1) / kQueries; }
  __device__ int tiles() const { return heads * query_tiles(); }
  // Causal tiles differ in length: in groups of 8 heads, whose K and V stay in L2, long ones first.
  __device__ void locate(int i, int& head, int& query) const {
    if (!kCausal) {
      head = i / query_tiles();
      query = i % query_tiles();
      return;
    }
    const int group = i / (8 * query_tiles());
    const int members = min(8, heads - group * 8);
    const int rest = i - group * 8 * query_tiles();
    head = group * 8 + rest % members;
    query = query_tiles() - 1 - rest / members;
  }
  // Steps over the keys; they are taken from the last to the first, so that only the first step
  // has scores to mask.
  __device__ int steps(int query) const {
    const int all = (tokens + kKeys - 1) / kKeys;
    return kCausal ? min(all, query + 1) : all;
  }
};
static_assert(kQueries == kKeys, "steps() and mask() rely on it");

__device__ void produce(Shared& shared, const CUtensorMap& map_q, const CUtensorMap& map_k,
                        const CUtensorMap& map_v, Sizes sizes) {
  ptx::RingPosition<kStages> stage;
  std::uint32_t tile_parity = 0;
  for (int i = blockIdx.x; i < sizes.tiles(); i += gridDim.x) {
    int head, query;
    sizes.locate(i, head, query);
    ptx::barrier_wait(&shared.q_empty, tile_parity ^ 1);
    ptx::barrier_arrive_expect(&shared.q_full, kQueryBytes);
    for (int c = 0; c < kConsumers; ++c) {
      for (int half = 0; half < 2; ++half) {
        ptx::tma_load_3d(shared.q[c][half], &map_q, &shared.q_full, half * kHalf,
                         query * kQueries + c * 64, head);
      }
    }
    tile_parity ^= 1;
    for (int j = sizes.steps(query) - 1; j >= 0; --j) {
      ptx::barrier_wait(&shared.k_empty[stage.index], stage.parity ^ 1);
      ptx::barrier_arrive_expect(&shared.k_full[stage.index], kStepBytes);
      for (int half = 0; half < 2; ++half) {
        ptx::tma_load_3d(shared.k[stage.index][half], &map_k, &shared.k_full[stage.index],
                         half * kHalf, j * kKeys, head);
      }
      ptx::barrier_wait(&shared.v_empty[stage.index], stage.parity ^ 1);
      ptx::barrier_arrive_expect(&shared.v_full[stage.index], kStepBytes);
      for (int half = 0; half < 2; ++half) {
        ptx::tma_load_3d(shared.v[stage.index][half], &map_v, &shared.v_full[stage.index],
                         half * kHalf, j * kKeys, head);
      }
      stage.advance();
    }
  }
}

__device__ void release(std::uint64_t* barrier) {
  if (ptx::lane_index() == 0) ptx::barrier_arrive(barrier);
}

using Scores = float[kKeys / 2];
using Output = float[kWidth / 2];
using Weights = std::uint32_t[kKeys / 16][4];

__device__ __forceinline__ void issue_scores(Scores& s, const Shared& shared, int consumer,
                                             int stage) {
#pragma unroll
  for (int k = 0; k < kWidth; k += 16) {
    const __nv_bfloat16* q = &shared.q[consumer][k / kHalf][k % kHalf];
    const __nv_bfloat16* key = &shared.k[stage][k / kHalf][k % kHalf];
    ptx::wgmma_ss<kKeys>(s, ptx::k_major<ptx::Swizzle::k128>(q),
                         ptx::k_major<ptx::Swizzle::k128>(key), k > 0);
  }
}

__device__ __forceinline__ void issue_output(Output& o, const Weights& p, const Shared& shared,
                                             int stage) {
#pragma unroll
  for (int k = 0; k < kKeys; k += 16) {
    const __nv_bfloat16* v = &shared.v[stage][0][k * kHalf];
    ptx::wgmma_rs<kWidth, true>(
        o, p[k / 16], ptx::mn_major<ptx::Swizzle::k128>(v, kKeys * kHalf * sizeof(__nv_bfloat16)));
  }
}

// Scores of keys that do not exist, or come after the query, count as minus infinity.
__device__ __forceinline__ void mask(Scores& s, int first_key, int first_query, int tokens,
                                     int thread) {
#pragma unroll
  for (int i = 0; i < kKeys / 2; ++i) {
    const int key = first_key + ptx::accumulator_column(thread, i);
    const int query = first_query + ptx::accumulator_row(thread, i);
    if (key >= tokens || (kCausal && key > query)) s[i] = -INFINITY;
  }
}

// The running maximum (of the scores as they are) and sum of a thread's two rows. The sum is the
// thread's own part until the end.
struct Softmax {
  float maximum[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};

  // Scores become probabilities relative to the new maximum; returns what the output so far must be
  // multiplied by.
  __device__ __forceinline__ void step(Scores& s, float scale_log2, float (&correction)[2]) {
    float scaled[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float m = maximum[r];
#pragma unroll
      for (int i = 0; i < kKeys / 4; ++i) m = fmaxf(m, s[(i / 2) * 4 + r * 2 + i % 2]);
      m = ptx::quad_max(m);
      correction[r] = ptx::fast_exp2((maximum[r] - m) * scale_log2);
      maximum[r] = m;
      scaled[r] = m * scale_log2;
      sum[r] *= correction[r];
    }
#pragma unroll
    for (int i = 0; i < kKeys / 2; ++i) {
      const int r = (i / 2) % 2;
      s[i] = ptx::fast_exp2(fmaf(s[i], scale_log2, -scaled[r]));
      sum[r] += s[i];
    }
  }
};

__device__ __forceinline__ void to_weights(Weights& p, const Scores& s) {
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) ptx::accumulator_to_a(p[k], s, k);
}

__device__ __forceinline__ void keep_weights(Weights& p) {
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) ptx::keep_registers(p[k]);
}

__device__ __forceinline__ void take_turn(int consumer) {
  if (kPingPong) ptx::named_barrier_sync(3 + consumer, 2 * ptx::kWarpgroupThreads);
}
__device__ __forceinline__ void give_turn(int consumer) {
  if (kPingPong) ptx::named_barrier_arrive(3 + (1 - consumer), 2 * ptx::kWarpgroupThreads);
}

__device__ void consume(Shared& shared, const CUtensorMap& map_o, float* lse, Sizes sizes,
                        float scale_log2, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % ptx::kWarpgroupThreads;
  const bool storer = ptx::warp_index() % 4 == 0 && ptx::elect_one();
  ptx::RingPosition<kStages> k_stage;
  ptx::RingPosition<kStages> v_stage;
  std::uint32_t tile_parity = 0;
  if (consumer == 1) give_turn(1);  // consumer 0 begins
  for (int i = blockIdx.x; i < sizes.tiles(); i += gridDim.x) {
    int head, query;
    sizes.locate(i, head, query);
    const int steps = sizes.steps(query);
    const int first_query = query * kQueries + consumer * 64;
    Output o;
    Scores s;
    Weights p;
    Softmax softmax;
    float correction[2];
#pragma unroll
    for (float& x : o) x = 0;

    ptx::barrier_wait(&shared.q_full, tile_parity);
    tile_parity ^= 1;
    ptx::barrier_wait(&shared.k_full[k_stage.index], k_stage.parity);
    take_turn(consumer);
    ptx::wgmma_fence();
    issue_scores(s, shared, consumer, k_stage.index);
    ptx::wgmma_commit();
    give_turn(consumer);
    ptx::wgmma_wait<0>();
    ptx::keep_registers(s);
    release(&shared.k_empty[k_stage.index]);
    k_stage.advance();
    if (kCausal || sizes.tokens % kKeys != 0) {
      mask(s, (steps - 1) * kKeys, first_query, sizes.tokens, thread);
    }
    softmax.step(s, scale_log2, correction);
    to_weights(p, s);

    for (int j = 1; j < steps; ++j) {
      ptx::barrier_wait(&shared.k_full[k_stage.index], k_stage.parity);
      take_turn(consumer);
      ptx::keep_registers(o);
      keep_weights(p);
      ptx::wgmma_fence();
      issue_scores(s, shared, consumer, k_stage.index);
      ptx::wgmma_commit();
      ptx::barrier_wait(&shared.v_full[v_stage.index], v_stage.parity);
      ptx::wgmma_fence();
      issue_output(o, p, shared, v_stage.index);
      ptx::wgmma_commit();
      give_turn(consumer);
      ptx::wgmma_wait<1>();
      ptx::keep_registers(s);
      release(&shared.k_empty[k_stage.index]);
      k_stage.advance();
      softmax.step(s, scale_log2, correction);
      ptx::wgmma_wait<0>();
      ptx::keep_registers(o);
      release(&shared.v_empty[v_stage.index]);
      v_stage.advance();
#pragma unroll
      for (int x = 0; x < kWidth / 2; ++x) o[x] *= correction[(x / 2) % 2];
      to_weights(p, s);
    }

    ptx::barrier_wait(&shared.v_full[v_stage.index], v_stage.parity);
    ptx::keep_registers(o);
    keep_weights(p);
    ptx::wgmma_fence();
    issue_output(o, p, shared, v_stage.index);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::keep_registers(o);
    release(&shared.v_empty[v_stage.index]);
    v_stage.advance();

#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float sum = ptx::quad_sum(softmax.sum[r]);
      const float factor = 1.0F / sum;
#pragma unroll
      for (int x = 0; x < kWidth / 4; ++x) o[(x / 2) * 4 + r * 2 + x % 2] *= factor;
      const int row = first_query + ptx::accumulator_row(thread, 2 * r);
      if (thread % 4 == 0 && row < sizes.tokens) {
        lse[static_cast<std::int64_t>(head) * sizes.tokens + row] =
            (softmax.maximum[r] * scale_log2 + ptx::fast_log2(sum)) * ptx::kLn2;
      }
    }
    // All of this warpgroup's products with its queries are complete: their place takes the output.
    ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      ptx::store_accumulator_box(shared.q[consumer][half], o, half * 4, thread);
    }
    ptx::fence_async_shared();
    ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
    if (storer) {
      for (int half = 0; half < 2; ++half) {
        ptx::tma_store_3d(&map_o, shared.q[consumer][half], half * kHalf, first_query, head);
      }
      ptx::store_commit();
      ptx::store_wait_read<0>();
      ptx::barrier_arrive(&shared.q_empty);
    }
  }
  if (consumer == 0) take_turn(0);  // the last turn that was given
}

__global__ void __launch_bounds__(kThreads, 1)
    attend(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
           const __grid_constant__ CUtensorMap map_v, const __grid_constant__ CUtensorMap map_o,
           float* lse, Sizes sizes, float scale_log2) {
  extern __shared__ char memory[];
  const std::uint32_t unaligned = ptx::shared_address(memory);
  Shared& shared = *reinterpret_cast<Shared*>(memory + ((1024 - unaligned % 1024) % 1024));
  if (threadIdx.x == 0) {
    for (const CUtensorMap* map : {&map_q, &map_k, &map_v, &map_o}) ptx::prefetch_tensor_map(map);
    ptx::barrier_init(&shared.q_full, 1);
    ptx::barrier_init(&shared.q_empty, kConsumers);
    for (int i = 0; i < kStages; ++i) {
      ptx::barrier_init(&shared.k_full[i], 1);
      ptx::barrier_init(&shared.k_empty[i], kConsumers * 4);
      ptx::barrier_init(&shared.v_full[i], 1);
      ptx::barrier_init(&shared.v_empty[i], kConsumers * 4);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  const int warpgroup = ptx::warpgroup_index();
  if (warpgroup == 0) {
    ptx::decrease_registers<24>();
    if (ptx::warp_index() == 0 && ptx::elect_one()) produce(shared, map_q, map_k, map_v, sizes);
  } else {
    ptx::increase_registers<240>();
    consume(shared, map_o, lse, sizes, scale_log2, warpgroup - 1);
  }
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void run_attention(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v,
                   tvm::ffi::TensorView o, tvm::ffi::TensorView lse) {
  if (q.size(3) != kWidth) throw std::runtime_error("this kernel is for heads of width 128");
  const std::int64_t heads = q.size(0) * q.size(1);
  const std::int64_t tokens = q.size(2);
  const DLDevice device = q.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const auto map = [&](tvm::ffi::TensorView t, int box_rows) {
    return ptx::make_batched_map(t.data_ptr(), heads, tokens, kWidth, box_rows, kHalf,
                                 ptx::Swizzle::k128);
  };
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device.device_id));
  check(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  const std::int64_t tiles = heads * ((tokens + kQueries - 1) / kQueries);
  const int blocks = static_cast<int>(std::min<std::int64_t>(processors, tiles));
  const float scale_log2 = ptx::kLog2E / std::sqrt(static_cast<float>(kWidth));
  attend<<<blocks, kThreads, kSharedBytes, stream>>>(
      map(q, 64), map(k, kKeys), map(v, kKeys), map(o, 64), static_cast<float*>(lse.data_ptr()),
      Sizes{static_cast<int>(heads), static_cast<int>(tokens)}, scale_log2);
  check(cudaGetLastError());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_attention);
