// Who am I, who acts, and how the threads of a block wait for each other. PTX ISA: 7.1 (elect.sync
// under "Parallel Synchronization"), setmaxnreg, barrier, fence.proxy.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace ptx {

inline constexpr int kWarpThreads = 32;
inline constexpr int kWarpgroupThreads = 128;

/// A generic pointer into shared memory as the 32-bit address that PTX takes.
/// Caller: any thread. The pointer must be into this block's shared memory.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Position in the warp, 0 to 31.
__device__ __forceinline__ int lane_index() {
  return static_cast<int>(threadIdx.x) & (kWarpThreads - 1);
}

/// Position of the warp in the block, known to the compiler to be the same in all lanes: use it,
/// not threadIdx.x / 32, for branches that give warps their roles. One-dimensional blocks only.
/// Caller: all 32 lanes together.
__device__ __forceinline__ int warp_index() {
  return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / kWarpThreads, 0);
}

/// Position of the warpgroup (4 warps, the first a multiple of 4) in the block.
/// Caller: all 32 lanes together.
__device__ __forceinline__ int warpgroup_index() {
  return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / kWarpgroupThreads, 0);
}

/// True in exactly one lane, always the same one: the lane that issues TMA operations or touches a
/// barrier for its warp.
/// Caller: all 32 lanes together, with no lane exited. The branch it guards must not hold an
/// instruction that the whole warp has to execute.
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xFFFFFFFF;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

/// Gives registers back to the pool: the producer's warpgroup does this first.
/// Caller: all warps of a warpgroup, once, at the start of its role. Registers: a multiple of 8
/// from 24 to 256, not more than the thread has. The kernel needs __launch_bounds__(threads, 1),
/// with the 1, and each role must be one branch of a single if/else, else ptxas ignores it (warning
/// C7508).
template <int Registers>
__device__ __forceinline__ void decrease_registers() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Takes registers from the pool, and blocks until there are enough. The sum over all warps must
/// stay within 65,536 registers a multiprocessor: 1 producer and 2 consumer warpgroups can have 24
/// and 240 each, 1 and 3 can have 32 and 160.
/// Caller: as decrease_registers; Registers not less than the thread has.
template <int Registers>
__device__ __forceinline__ void increase_registers() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Waits until `threads` threads have come to barrier `id`, this one included. Orders their
/// generic accesses to shared and global memory before the barrier against those after it; it does
/// not order anything for TMA or wgmma (see fence_async_shared).
/// Caller: whole warps. id 1 to 15 (0 is __syncthreads); threads a multiple of 32; all must give
/// the same count.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Comes to the barrier without waiting: the half of a hand-over that signals.
/// Caller: as named_barrier_sync. Arriving twice before the barrier completes is undefined.
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to the async proxy (TMA stores,
/// wgmma operands). Without it these may read what was there before.
/// Caller: every thread that wrote, before the barrier that tells the issuing thread to go on.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// The same for global memory: between ordinary writes to global memory and TMA loads of it, or
/// after a TMA store has completed and before ordinary reads of what it wrote.
/// Caller: every thread that wrote (or will read).
__device__ __forceinline__ void fence_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

}  // namespace ptx
