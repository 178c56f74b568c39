// TMA: the copy engine between global and shared memory. One thread issues a transfer; loads
// complete on a barrier in shared memory, stores in groups of the issuing thread. Coordinates count
// elements, the contiguous dimension first, and may be past the end, for loads negative too. PTX
// ISA: cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, prefetch.
#pragma once

#include "mbarrier.cuh"

namespace ptx {

/// How long a load's lines should stay in L2: the value of the cache hint.
inline constexpr std::uint64_t kEvictNormal = 0x1000000000000000ULL;
inline constexpr std::uint64_t kEvictFirst = 0x12F0000000000000ULL;
inline constexpr std::uint64_t kEvictLast = 0x14F0000000000000ULL;

/// Fetches the descriptor itself, so that the first transfer does not wait for it.
/// Caller: one thread, once for each map, at the start of the kernel.
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// Loads the box at (x, y) to `destination` and counts its bytes down on `barrier`.
/// Caller: one thread, after barrier_arrive_expect on that barrier. The destination is aligned as
/// the map's swizzle demands. Ordering: visible to those who wait on the barrier; the stage must
/// have been released by all readers before.
__device__ __forceinline__ void tma_load_2d(void* destination, const CUtensorMap* map,
                                            std::uint64_t* barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
}

/// The same with a cache hint (kEvictFirst for what is read once, kEvictLast for what is shared).
__device__ __forceinline__ void tma_load_2d_hint(void* destination, const CUtensorMap* map,
                                                 std::uint64_t* barrier, int x, int y,
                                                 std::uint64_t hint) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "l"(hint)
      : "memory");
}

/// The same for tensors of three to five dimensions.
__device__ __forceinline__ void tma_load_3d(void* destination, const CUtensorMap* map,
                                            std::uint64_t* barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

__device__ __forceinline__ void tma_load_4d(void* destination, const CUtensorMap* map,
                                            std::uint64_t* barrier, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

__device__ __forceinline__ void tma_load_5d(void* destination, const CUtensorMap* map,
                                            std::uint64_t* barrier, int x, int y, int z, int w,
                                            int v) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
      : "memory");
}

/// Loads one box into every block of the cluster whose bit is set in `ranks`: to the same offset in
/// each, and counted on the barrier at the same offset in each. So every receiver must expect the
/// bytes on its own barrier, and the sender must know that all receivers have released the stage.
/// Caller: one thread of one block.
__device__ __forceinline__ void tma_load_2d_multicast(void* destination, const CUtensorMap* map,
                                                      std::uint64_t* barrier, int x, int y,
                                                      std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(ranks)
      : "memory");
}

__device__ __forceinline__ void tma_load_3d_multicast(void* destination, const CUtensorMap* map,
                                                      std::uint64_t* barrier, int x, int y, int z,
                                                      std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(destination)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "h"(ranks)
      : "memory");
}

/// Brings a box into L2 only.
/// Caller: one thread; nothing completes and nothing needs to be waited for.
__device__ __forceinline__ void tma_prefetch_2d(const CUtensorMap* map, int x, int y) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x),
               "r"(y)
               : "memory");
}

/// Stores a box from shared memory; what lies past the end of the tensor is left out. Coordinates
/// must not be negative (seen on an H200: an illegal instruction), unlike those of a load. Caller:
/// one thread, after those who wrote `source` did fence_async_shared() and a barrier. Then
/// store_commit(); before `source` is written again store_wait_read<0>() in the same thread and a
/// barrier for the others.
__device__ __forceinline__ void tma_store_2d(const CUtensorMap* map, const void* source, int x,
                                             int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared_address(source)), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void tma_store_3d(const CUtensorMap* map, const void* source, int x,
                                             int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          map),
      "r"(shared_address(source)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

__device__ __forceinline__ void tma_store_4d(const CUtensorMap* map, const void* source, int x,
                                             int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group "
      "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
      "r"(shared_address(source)), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

__device__ __forceinline__ void tma_store_5d(const CUtensorMap* map, const void* source, int x,
                                             int y, int z, int w, int v) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group "
      "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
      "r"(shared_address(source)), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
      : "memory");
}

/// Adds a box to what is in global memory, element by element and atomically, in the type of the
/// map (bf16 sums are rounded at each addition: prefer a float map for long sums).
/// Caller and completion: as tma_store_2d. The destination must have been set before.
__device__ __forceinline__ void tma_reduce_add_2d(const CUtensorMap* map, const void* source, int x,
                                                  int y) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
      "[%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared_address(source)), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void tma_reduce_add_3d(const CUtensorMap* map, const void* source, int x,
                                                  int y, int z) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group "
      "[%0, {%2, %3, %4}], [%1];" ::"l"(map),
      "r"(shared_address(source)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Copies contiguous bytes without a tensor map.
/// Caller: one thread, after barrier_arrive_expect. Both addresses aligned to 16, bytes a multiple
/// of 16.
__device__ __forceinline__ void bulk_load(void* destination, const void* source,
                                          std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(destination)),
      "l"(source), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// The way back; completes like a TMA store.
__device__ __forceinline__ void bulk_store(void* destination, const void* source,
                                           std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination),
               "r"(shared_address(source)), "r"(bytes)
               : "memory");
}

/// Adds contiguous floats to global memory, each addition atomic.
__device__ __forceinline__ void bulk_reduce_add_f32(float* destination, const float* source,
                                                    std::uint32_t bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   destination),
               "r"(shared_address(source)), "r"(bytes)
               : "memory");
}

/// Closes the group of this thread's stores since the last commit.
/// Caller: the thread that issued them.
__device__ __forceinline__ void store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most `Pending` of this thread's groups still read their shared memory, which can
/// then be written again.
template <int Pending>
__device__ __forceinline__ void store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Waits until at most `Pending` groups are not yet complete in global memory. At the end of a
/// kernel it is not needed for the data (the end of the grid completes them), but shared memory
/// must outlive the reads: at least store_wait_read<0>().
template <int Pending>
__device__ __forceinline__ void store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace ptx
