// tcgen05.mma: matrix multiplication into tensor memory, issued by one thread, for one block (D of
// up to 128 x 256) or a pair of blocks (256 x 256). bf16 operands, float accumulators. A comes from
// shared or tensor memory, B from shared memory. PTX ISA: "tcgen05.mma", "Instruction descriptor",
// "Shared memory descriptor", tcgen05.commit, tcgen05.cp.
#pragma once

#include "fragment.cuh"
#include "mbarrier.cuh"
#include "tensor_memory.cuh"

namespace ptx {

/// The 32-bit descriptor of the operation (kind::f16): bits 4-5 type of D (1 float), 7-9 type of A
/// and 10-12 type of B (1 bf16, 0 half), 13 and 14 negate A, B, 15 and 16 A, B are mn-major, 17-22
/// N / 8, 24-28 M / 16. M is 64 or 128 for one block, 128 or 256 for a pair; N up to 256, a
/// multiple of 8 for M = 64, of 16 for M = 128 in one block, of 32 for a pair.
__host__ __device__ constexpr std::uint32_t instruction_descriptor(int m, int n,
                                                                   bool a_mn_major = false,
                                                                   bool b_mn_major = false,
                                                                   bool negate_a = false,
                                                                   bool negate_b = false) {
  return 1U << 4 | 1U << 7 | 1U << 10 | (negate_a ? 1U : 0U) << 13 | (negate_b ? 1U : 0U) << 14 |
         (a_mn_major ? 1U : 0U) << 15 | (b_mn_major ? 1U : 0U) << 16 |
         static_cast<std::uint32_t>(n / 8) << 17 | static_cast<std::uint32_t>(m / 16) << 24;
}

/// The 64-bit descriptor of an operand in shared memory: bits 0-13 address / 16, 16-29 leading byte
/// offset / 16, 32-45 stride byte offset / 16, 46-48 the constant 1, 49-51 base offset (0 when
/// boxes begin where their swizzle demands), 52 leading offset mode (0 relative), 61-63 swizzle (0
/// none, 2 128-byte, 4 64-byte, 6 32-byte). Not the descriptor of Hopper's wgmma.
__host__ __device__ constexpr std::uint64_t operand_descriptor(std::uint32_t address,
                                                               std::uint32_t leading_bytes,
                                                               std::uint32_t stride_bytes,
                                                               Swizzle swizzle) {
  const std::uint64_t mode = swizzle == Swizzle::k128  ? 2
                             : swizzle == Swizzle::k64 ? 4
                             : swizzle == Swizzle::k32 ? 6
                                                       : 0;
  return static_cast<std::uint64_t>((address & 0x3FFFFU) >> 4) |
         static_cast<std::uint64_t>((leading_bytes & 0x3FFFFU) >> 4) << 16 |
         static_cast<std::uint64_t>((stride_bytes & 0x3FFFFU) >> 4) << 32 | 1ULL << 46 | mode << 61;
}

/// Operand whose k is contiguous (A row-major, B as [N][K]), as TMA loads a swizzled box: one row
/// for each m or n. Add k * 2 bytes to step along k inside of the swizzle's width; groups of 8 rows
/// follow each other.
template <Swizzle S>
__device__ __forceinline__ std::uint64_t k_major(const void* tile) {
  static_assert(S != Swizzle::kNone);
  return operand_descriptor(shared_address(tile), 16, 8 * static_cast<std::uint32_t>(S), S);
}

/// Operand whose m or n is contiguous (B as [K][N], V in attention): swizzled boxes with one row
/// for each k. `box_step_bytes` is the distance between the boxes that are neighbours in n; step
/// along k by whole rows. The instruction descriptor must say mn_major.
template <Swizzle S>
__device__ __forceinline__ std::uint64_t mn_major(const void* tile, std::uint32_t box_step_bytes) {
  static_assert(S != Swizzle::kNone);
  return operand_descriptor(shared_address(tile), box_step_bytes, 8 * static_cast<std::uint32_t>(S),
                            S);
}

/// D[tmem] += A * B, k = 16, both operands in shared memory; D = A * B if `accumulate` is 0. Row r
/// of D is TMEM lane r (M = 128), column n is column d + n, one float each. Caller: ONE thread of
/// the block. Asynchronous: operands must stay until the commit's barrier has completed. Several of
/// one shape into one D, issued by the same thread, are executed in order. With Pair the even block
/// of the pair issues for both: M is 256, rows 0-127 of A and D lie in the even block, 128-255 in
/// the odd one; each block holds its half of B's N rows, at the same offset.
template <bool Pair = false>
__device__ __forceinline__ void mma_ss(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                       std::uint32_t instruction, int accumulate) {
  if constexpr (Pair) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n"
        "}\n" ::"r"(d),
        "l"(a), "l"(b), "r"(instruction), "r"(accumulate)
        : "memory");
  } else {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n"
        "}\n" ::"r"(d),
        "l"(a), "l"(b), "r"(instruction), "r"(accumulate)
        : "memory");
  }
}

/// The same with A in tensor memory: row r in lane r, two bf16 in each 32-bit column, so 8 columns
/// for the 16 values of k: how P of attention reaches its second product.
template <bool Pair = false>
__device__ __forceinline__ void mma_ts(std::uint32_t d, std::uint32_t a, std::uint64_t b,
                                       std::uint32_t instruction, int accumulate) {
  if constexpr (Pair) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::2.kind::f16 [%0], [%1], %2, %3, p;\n"
        "}\n" ::"r"(d),
        "r"(a), "l"(b), "r"(instruction), "r"(accumulate)
        : "memory");
  } else {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n"
        "}\n" ::"r"(d),
        "r"(a), "l"(b), "r"(instruction), "r"(accumulate)
        : "memory");
  }
}

/// One arrival at `barrier` when all tcgen05.mma that this thread has issued before are complete:
/// their operands can then be overwritten and their accumulators read. Implies tmem_fence_before().
/// Caller: the issuing thread.
template <bool Pair = false>
__device__ __forceinline__ void mma_commit(std::uint64_t* barrier) {
  if constexpr (Pair) {
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared_address(barrier))
        : "memory");
  } else {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared_address(barrier))
        : "memory");
  }
}

/// The same, at the barriers at this offset in all blocks of the cluster whose bit is set: how the
/// issuing block of a pair frees stages and hands over accumulators in both.
template <bool Pair = true>
__device__ __forceinline__ void mma_commit_multicast(std::uint64_t* barrier, std::uint16_t ranks) {
  if constexpr (Pair) {
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
        "[%0], %1;" ::"r"(shared_address(barrier)),
        "h"(ranks)
        : "memory");
  } else {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
        "[%0], %1;" ::"r"(shared_address(barrier)),
        "h"(ranks)
        : "memory");
  }
}

/// Copies 128 rows of 256 bits from shared memory (as the operand descriptor says) to tensor
/// memory. Caller: one thread; ordered with tcgen05.mma of the same thread.
template <bool Pair = false>
__device__ __forceinline__ void tmem_copy_128x256b(std::uint32_t address, std::uint64_t source) {
  if constexpr (Pair) {
    asm volatile("tcgen05.cp.cta_group::2.128x256b [%0], %1;" ::"r"(address), "l"(source)
                 : "memory");
  } else {
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(address), "l"(source)
                 : "memory");
  }
}

}  // namespace ptx
