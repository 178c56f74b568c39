// Pairs of blocks (cta_group::2) and clusters that fetch their next work: what Blackwell adds to
// TMA and to clusters. A pair is the blocks 2 i and 2 i + 1 of a cluster. PTX ISA:
// cp.async.bulk.tensor
// (.cta_group), clusterlaunchcontrol.
#pragma once

#include "cluster.cuh"
#include "tma.cuh"

namespace ptx {

/// Whether this is the block of its pair that issues tcgen05.mma for both: the even one.
__device__ __forceinline__ bool leads_pair() {
  return cluster_rank() % 2 == 0;
}

/// The shared::cluster address of `barrier` in the even block of this pair, from either block: bit
/// 24 of such an address tells the two apart.
__device__ __forceinline__ std::uint32_t pair_barrier(std::uint64_t* barrier) {
  return shared_address(barrier) & 0xFEFFFFFFU;
}

/// TMA load into this block that counts its bytes on the EVEN block's barrier: both blocks of a
/// pair load their parts, and the one that issues the products waits for all of it at one place.
/// Caller: one thread of each block; the even block's barrier expects the bytes of both.
__device__ __forceinline__ void tma_load_2d_pair(void* destination, const CUtensorMap* map,
                                                 std::uint64_t* barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          shared_address(destination)),
      "l"(map), "r"(pair_barrier(barrier)), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void tma_load_3d_pair(void* destination, const CUtensorMap* map,
                                                 std::uint64_t* barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
          shared_address(destination)),
      "l"(map), "r"(pair_barrier(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// The same into several blocks of the cluster.
__device__ __forceinline__ void tma_load_2d_pair_multicast(void* destination,
                                                           const CUtensorMap* map,
                                                           std::uint64_t* barrier, int x, int y,
                                                           std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          shared_address(destination)),
      "l"(map), "r"(pair_barrier(barrier)), "r"(x), "r"(y), "h"(ranks)
      : "memory");
}

/// The answer to a request for more work: 16 bytes of shared memory, aligned to 16.
struct alignas(16) WorkAnswer {
  std::uint64_t words[2];
};

/// Asks to take over a cluster of the grid that has not started yet, so that a block works on like
/// a persistent one and yet leaves when others need the GPU. The answer's 16 bytes count on
/// `barrier`. Caller: one thread, after barrier_arrive_expect(barrier, 16).
__device__ __forceinline__ void request_work(WorkAnswer* answer, std::uint64_t* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
      "[%0], [%1];" ::"r"(shared_address(answer)),
      "r"(shared_address(barrier))
      : "memory");
}

/// The same for clusters of several blocks: the answer comes to all of them, at the same offset.
/// Caller: one thread of one block; every block expects 16 bytes.
__device__ __forceinline__ void request_work_for_cluster(WorkAnswer* answer,
                                                         std::uint64_t* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(shared_address(answer)),
      "r"(shared_address(barrier))
      : "memory");
}

/// Reads the answer: false when there is no more work (then ask no more), else `block` is the index
/// of the first block of the cluster that was taken over; add one's own position in the cluster.
/// Caller: any thread, after barrier_wait. Before the answer is asked for again at the same place,
/// fence_async_shared() in each thread that read it, and a barrier.
__device__ __forceinline__ bool read_work(const WorkAnswer* answer, dim3& block) {
  std::uint32_t taken, x, y, z;
  asm volatile(
      "{\n"
      ".reg .b128 handle;\n"
      ".reg .pred p;\n"
      "mov.b128 handle, {%4, %5};\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "mov.b32 %1, 0;\n"
      "mov.b32 %2, 0;\n"
      "mov.b32 %3, 0;\n"
      "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, handle;\n"
      "}\n"
      : "=&r"(taken), "=&r"(x), "=&r"(y), "=&r"(z)
      : "l"(answer->words[0]), "l"(answer->words[1])
      : "memory");
  block = dim3(x, y, z);
  return taken != 0;
}

}  // namespace ptx
