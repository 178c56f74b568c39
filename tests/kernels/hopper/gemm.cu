// C[M][N] = A[M][K] * B[N][K]^T in bf16, with the pack's templates and its two guidance documents:
// persistent clusters of two blocks that share B by multicast; a producer warp, and two warpgroups
// that each compute 64 x 256 of a block's tile of 128 x 256.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include "cluster.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

namespace {

constexpr int kTileM = 128;
constexpr int kTileN = 256;
constexpr int kTileK = 64;
constexpr int kStages = 4;
constexpr int kCluster = 2;    // blocks, neighbours in m
constexpr int kConsumers = 2;  // warpgroups
constexpr int kThreads = (1 + kConsumers) * ptx::kWarpgroupThreads;
constexpr int kGroup = 8;  // clusters in m that are computed together, for L2

struct alignas(1024) Shared {
  __nv_bfloat16 a[kStages][kTileM * kTileK];
  __nv_bfloat16 b[kStages][kTileN * kTileK];
  __nv_bfloat16 c[kConsumers][2][64 * 64];  // two boxes of 64 columns for each consumer
  std::uint64_t full[kStages];
  std::uint64_t empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;
constexpr std::uint32_t kStageBytes = (kTileM + kTileN) * kTileK * sizeof(__nv_bfloat16);

struct Tiles {
  int clusters_m;
  int tiles_n;

  // The cluster's tile number `i`: column by column in groups of kGroup rows.
  __device__ void locate(int i, int& m, int& n) const {
    const int group = i / (kGroup * tiles_n);
    const int first = group * kGroup;
    const int rows = min(kGroup, clusters_m - first);
    const int rest = i - group * kGroup * tiles_n;
    m = first + rest % rows;
    n = rest / rows;
  }
  __device__ int count() const { return clusters_m * tiles_n; }
};

__device__ void produce(Shared& shared, const CUtensorMap& map_a, const CUtensorMap& map_b,
                        Tiles tiles, int steps) {
  const int rank = static_cast<int>(ptx::cluster_rank());
  ptx::RingPosition<kStages> stage;
  for (int i = blockIdx.x / kCluster; i < tiles.count(); i += gridDim.x / kCluster) {
    int m, n;
    tiles.locate(i, m, n);
    const int row_a = (m * kCluster + rank) * kTileM;
    const int row_b = n * kTileN + rank * (kTileN / kCluster);
    for (int k = 0; k < steps; ++k) {
      ptx::barrier_wait_cluster(&shared.empty[stage.index], stage.parity ^ 1);
      ptx::barrier_arrive_expect(&shared.full[stage.index], kStageBytes);
      ptx::tma_load_2d(shared.a[stage.index], &map_a, &shared.full[stage.index], k * kTileK, row_a);
      ptx::tma_load_2d_multicast(&shared.b[stage.index][rank * (kTileN / kCluster) * kTileK],
                                 &map_b, &shared.full[stage.index], k * kTileK, row_b,
                                 (1U << kCluster) - 1);
      stage.advance();
    }
  }
}

// A whole warp tells all blocks of the cluster that it no longer reads this stage.
__device__ void release(std::uint64_t* empty) {
  if (ptx::lane_index() < kCluster) ptx::barrier_arrive_remote_relaxed(empty, ptx::lane_index());
}

__device__ void consume(Shared& shared, const CUtensorMap& map_c, Tiles tiles, int steps,
                        int consumer) {
  const int rank = static_cast<int>(ptx::cluster_rank());
  const int thread = static_cast<int>(threadIdx.x) % ptx::kWarpgroupThreads;
  const bool storer = ptx::warp_index() % 4 == 0 && ptx::elect_one();
  ptx::RingPosition<kStages> stage;
  for (int i = blockIdx.x / kCluster; i < tiles.count(); i += gridDim.x / kCluster) {
    float d[kTileN / 2];
#pragma unroll
    for (float& x : d) x = 0;
    int previous = 0;
    for (int k = 0; k < steps; ++k) {
      ptx::barrier_wait(&shared.full[stage.index], stage.parity);
      const __nv_bfloat16* a = &shared.a[stage.index][consumer * 64 * kTileK];
      const __nv_bfloat16* b = shared.b[stage.index];
      ptx::keep_registers(d);
      ptx::wgmma_fence();
#pragma unroll
      for (int kk = 0; kk < kTileK; kk += 16) {
        ptx::wgmma_ss<kTileN>(d, ptx::k_major<ptx::Swizzle::k128>(a + kk),
                              ptx::k_major<ptx::Swizzle::k128>(b + kk));
      }
      ptx::wgmma_commit();
      // The products of the step before are complete: its stage is free.
      ptx::wgmma_wait<1>();
      if (k > 0) release(&shared.empty[previous]);
      previous = stage.index;
      stage.advance();
    }
    ptx::wgmma_wait<0>();
    ptx::keep_registers(d);
    release(&shared.empty[previous]);

    int m, n;
    tiles.locate(i, m, n);
    const int row = (m * kCluster + rank) * kTileM + consumer * 64;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (storer) ptx::store_wait_read<0>();
      ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
#pragma unroll
      for (int box = 0; box < 2; ++box) {
        ptx::store_accumulator_box(shared.c[consumer][box], d, (half * 2 + box) * 4, thread);
      }
      ptx::fence_async_shared();
      ptx::named_barrier_sync(1 + consumer, ptx::kWarpgroupThreads);
      if (storer) {
        for (int box = 0; box < 2; ++box) {
          ptx::tma_store_2d(&map_c, shared.c[consumer][box], n * kTileN + (half * 2 + box) * 64,
                            row);
        }
        ptx::store_commit();
      }
    }
  }
  if (storer) ptx::store_wait_read<0>();
}

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1)
    gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
         const __grid_constant__ CUtensorMap map_c, Tiles tiles, int steps) {
  extern __shared__ char memory[];
  const std::uint32_t unaligned = ptx::shared_address(memory);
  Shared& shared = *reinterpret_cast<Shared*>(memory + ((1024 - unaligned % 1024) % 1024));
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map_a);
    ptx::prefetch_tensor_map(&map_b);
    ptx::prefetch_tensor_map(&map_c);
    for (int i = 0; i < kStages; ++i) {
      ptx::barrier_init(&shared.full[i], 1);
      ptx::barrier_init(&shared.empty[i], kCluster * kConsumers * 4);  // every consumer warp
    }
    ptx::fence_barrier_init();
  }
  ptx::cluster_sync();
  const int warpgroup = ptx::warpgroup_index();
  if (warpgroup == 0) {
    ptx::decrease_registers<40>();
    if (ptx::warp_index() == 0 && ptx::elect_one()) produce(shared, map_a, map_b, tiles, steps);
  } else {
    ptx::increase_registers<232>();
    consume(shared, map_c, tiles, steps, warpgroup - 1);
  }
  __syncwarp();
  ptx::cluster_sync();
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void run_gemm(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const std::int64_t m = a.size(0);
  const std::int64_t k = a.size(1);
  const std::int64_t n = b.size(0);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const CUtensorMap map_a =
      ptx::make_matrix_map(a.data_ptr(), m, k, kTileM, kTileK, ptx::Swizzle::k128);
  const CUtensorMap map_b =
      ptx::make_matrix_map(b.data_ptr(), n, k, kTileN / kCluster, kTileK, ptx::Swizzle::k128);
  const CUtensorMap map_c = ptx::make_matrix_map(c.data_ptr(), m, n, 64, 64, ptx::Swizzle::k128);

  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device.device_id));
  check(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  const Tiles tiles{static_cast<int>((m + kCluster * kTileM - 1) / (kCluster * kTileM)),
                    static_cast<int>((n + kTileN - 1) / kTileN)};
  const int clusters = std::min(processors / kCluster, tiles.clusters_m * tiles.tiles_n);
  gemm<<<clusters * kCluster, kThreads, kSharedBytes, stream>>>(
      map_a, map_b, map_c, tiles, static_cast<int>((k + kTileK - 1) / kTileK));
  check(cudaGetLastError());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_gemm);
