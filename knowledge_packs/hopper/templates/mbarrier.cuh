// mbarrier: the barrier object in shared memory with which TMA announces that its bytes are there.
// It counts arrivals and bytes down; when both are 0 the phase completes and the next one begins
// with the same count. PTX ISA: "mbarrier" under "Parallel Synchronization and Communication".
#pragma once

#include "thread.cuh"

namespace ptx {

/// Sets up `barrier` for `arrivals` arrivals a phase.
/// Caller: one thread, once; then fence_barrier_init() and a block (or cluster) wide barrier before
/// anyone else uses it. Memory: 8 bytes of shared memory, aligned to 8. arrivals: 1 to 2^20 - 1.
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// Makes initialised barriers visible to the cluster and to the async proxy.
/// Caller: the thread that initialised them, after the last barrier_init.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Ends a barrier's life, so that its memory can be used for something else.
/// Caller: one thread, when nobody waits on it and no TMA operation will complete on it.
__device__ __forceinline__ void barrier_invalidate(std::uint64_t* barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// One arrival that also says that `bytes` bytes of TMA are to come in this phase: the phase
/// completes when they have come and every arrival has been made. Bytes outside of a tensor, which
/// TMA fills with 0, count too: it is always the whole box.
/// Caller: one thread, the one that then issues the loads. bytes at most 2^20 - 1.
__device__ __forceinline__ void barrier_arrive_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// Expects `bytes` more without arriving.
/// Caller: one thread, whose own arrival (or another's) is still to come in this phase.
__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// One arrival; releases what this thread did before to those who wait.
/// Caller: any thread, as often in a phase as the barrier counts.
__device__ __forceinline__ void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

/// One arrival at the barrier at the same place in block `rank` of the cluster, which may be this
/// one: how consumers free a stage that is filled by multicast.
/// Caller: any thread. That block must not have exited: end such kernels with cluster_sync().
__device__ __forceinline__ void barrier_arrive_remote(std::uint64_t* barrier, std::uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/// The same without releasing anything, for stages that only wgmma has read: after wgmma_wait these
/// reads are over, and no ordinary access needs to be ordered. In a main loop the release costs far
/// more than it looks: it is a fence at the scope of the GPU (MEMBAR.ALL.GPU in the machine code;
/// it cost a GEMM a quarter of its speed).
__device__ __forceinline__ void barrier_arrive_remote_relaxed(std::uint64_t* barrier,
                                                              std::uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/// As barrier_arrive_remote, with `bytes` to come from a TMA operation or a remote store.
__device__ __forceinline__ void barrier_arrive_expect_remote(std::uint64_t* barrier,
                                                             std::uint32_t rank,
                                                             std::uint32_t bytes) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [remote], %2;\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(rank), "r"(bytes)
      : "memory");
}

/// Whether the phase of this parity has completed; never waits.
/// Caller: any thread. parity 0 is the first, third, ... phase; a fresh barrier is in phase 0, so a
/// test for parity 1 is true at once.
__device__ __forceinline__ bool barrier_test(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// As barrier_test, but the hardware may put the thread to sleep for a short time first.
__device__ __forceinline__ bool barrier_try_wait(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// Waits for the phase of this parity. What TMA wrote and what arriving threads of this block
/// released is visible afterwards.
/// Caller: every thread that will read the data (or issue the wgmma that does), not one for all.
/// A thread may be at most one phase behind: the parity of the phase before last looks the same.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  while (!barrier_try_wait(barrier, parity)) {
  }
}

/// The same where arrivals come from other blocks of the cluster (barrier_arrive_remote): acquires
/// at the scope of the cluster.
__device__ __forceinline__ void barrier_wait_cluster(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t complete = 0;
  while (complete == 0) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.b32 %0, 1, 0, p;\n"
        "}\n"
        : "=r"(complete)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

/// Which stage of a ring comes next, and in which parity. Consumers wait on full[index] for
/// `parity`; producers wait on empty[index] for `parity ^ 1`, which is true at once in the first
/// round. Both advance once for each stage used, for the whole life of the kernel: do not start
/// anew at each tile.
template <int Stages>
struct RingPosition {
  int index = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ void advance() {
    if (++index == Stages) {
      index = 0;
      parity ^= 1U;
    }
  }
};

}  // namespace ptx
