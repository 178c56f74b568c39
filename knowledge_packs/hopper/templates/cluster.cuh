// Clusters: blocks that run at the same time on one GPC and reach each other's shared memory. Give
// the size at compile time (__cluster_dims__) or at launch (cudaLaunchAttributeClusterDimension); 8
// is the portable maximum. PTX ISA: barrier.cluster, mapa, special registers.
#pragma once

#include "thread.cuh"

namespace ptx {

/// Rank of this block in its cluster, 0 for a kernel without clusters.
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Number of blocks in this cluster.
__device__ __forceinline__ std::uint32_t cluster_size() {
  std::uint32_t size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// Position of this cluster in a one-dimensional grid of clusters.
__device__ __forceinline__ std::uint32_t cluster_index() {
  std::uint32_t index;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
  return index;
}

/// Comes to the cluster's barrier without waiting, and releases what this thread did before.
/// Caller: every thread of every block of the cluster, then once cluster_wait().
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// Waits for all threads of the cluster to have arrived.
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Both. Needed after barriers are initialised and before a block signals or writes into another,
/// and at the end, so that no block exits while another still signals or writes into it.
/// Caller: all threads of all blocks; every warp whole ("aligned"), so not inside a branch on
/// elect_one().
__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

/// The address of `pointer`'s counterpart in block `rank`, in the shared::cluster window.
__device__ __forceinline__ std::uint32_t map_to_rank(const void* pointer, std::uint32_t rank) {
  std::uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(remote)
      : "r"(shared_address(pointer)), "r"(rank));
  return remote;
}

/// Reads 4 bytes of another block's shared memory. Order with cluster_sync() or a barrier.
/// Caller: any thread; address from map_to_rank, aligned to 4.
__device__ __forceinline__ std::uint32_t load_remote(std::uint32_t address) {
  std::uint32_t value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

/// Writes 4 bytes into another block's shared memory.
__device__ __forceinline__ void store_remote(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace ptx
