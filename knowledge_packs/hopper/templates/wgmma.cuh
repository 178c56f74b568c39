// wgmma: asynchronous matrix multiplication by a warpgroup, D[64][N] += A[64][16] * B[16][N] in one
// instruction; bf16 operands, float accumulators. B comes from shared memory, A from shared memory
// (wgmma_ss) or registers (wgmma_rs). PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "fragment.cuh"

namespace ptx {

/// The 64-bit descriptor of an operand in shared memory: bits 0-13 address / 16, bits 16-29 leading
/// byte offset / 16, bits 32-45 stride byte offset / 16, bits 62-63 swizzle (0 none, 1 128-byte,
/// 2 64-byte, 3 32-byte). The base offset (bits 49-51) is 0 when boxes begin where their swizzle
/// demands. What the two offsets mean depends on the layout: see k_major and mn_major.
template <Swizzle S>
__device__ __forceinline__ std::uint64_t matrix_descriptor(const void* tile,
                                                           std::uint32_t leading_bytes,
                                                           std::uint32_t stride_bytes) {
  constexpr std::uint64_t kMode = S == Swizzle::k128  ? 1
                                  : S == Swizzle::k64 ? 2
                                  : S == Swizzle::k32 ? 3
                                                      : 0;
  return static_cast<std::uint64_t>((shared_address(tile) & 0x3FFFFU) >> 4) |
         static_cast<std::uint64_t>((leading_bytes & 0x3FFFFU) >> 4) << 16 |
         static_cast<std::uint64_t>((stride_bytes & 0x3FFFFU) >> 4) << 32 | kMode << 62;
}

/// Operand whose k is contiguous (A row-major, B as [N][K]): a swizzled box with one row for each m
/// or n, as TMA loads it. `tile` is the box's row 0 (or any row that is a multiple of 8); add k * 2
/// bytes to step along k inside of the swizzle's width: it stays a valid start. Groups of 8 rows
/// follow each other; the leading offset is not used.
template <Swizzle S>
__device__ __forceinline__ std::uint64_t k_major(const void* tile) {
  static_assert(S != Swizzle::kNone, "without swizzle use k_major_plain");
  return matrix_descriptor<S>(tile, 16, 8 * static_cast<std::uint32_t>(S));
}

/// The same without swizzle: blocks of 8 rows x 16 bytes, each 128 contiguous bytes. `k_step_bytes`
/// is the distance between the blocks that are neighbours in k, `row_step_bytes` in m or n.
__device__ __forceinline__ std::uint64_t k_major_plain(const void* tile, std::uint32_t k_step_bytes,
                                                       std::uint32_t row_step_bytes) {
  return matrix_descriptor<Swizzle::kNone>(tile, k_step_bytes, row_step_bytes);
}

/// Operand whose m or n is contiguous (B as [K][N], V in attention): swizzled boxes with one row
/// for each k, each as wide as the swizzle (k128: 64 elements of n). `box_step_bytes` is the
/// distance between the boxes that are neighbours in n; step along k by whole rows: 16 rows for
/// each wgmma. The instruction must be told (TransposeA or TransposeB).
template <Swizzle S>
__device__ __forceinline__ std::uint64_t mn_major(const void* tile, std::uint32_t box_step_bytes) {
  static_assert(S != Swizzle::kNone, "without swizzle use mn_major_plain");
  return matrix_descriptor<S>(tile, box_step_bytes, 8 * static_cast<std::uint32_t>(S));
}

/// The same without swizzle: blocks of 8 k x 8 elements (16 bytes) of m or n, each 128 contiguous
/// bytes. Beware: here the leading offset steps along k and the stride offset along m or n.
__device__ __forceinline__ std::uint64_t mn_major_plain(const void* tile,
                                                        std::uint32_t k_step_bytes,
                                                        std::uint32_t mn_step_bytes) {
  return matrix_descriptor<Swizzle::kNone>(tile, k_step_bytes, mn_step_bytes);
}

/// Orders register and shared-memory accesses of this warpgroup before the wgmma that follow.
/// Caller: the whole warpgroup, before the first wgmma and whenever accumulator or A registers were
/// written by other instructions since. Not needed between wgmma on the same accumulator.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes the group of the wgmma since the last commit.
/// Caller: the whole warpgroup.
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `Pending` groups are in flight. Only then may their accumulators and A
/// registers be touched and their shared memory be released.
/// Caller: the whole warpgroup. Then keep_registers() on each accumulator that is complete.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Tells the compiler that these registers changed here: without it, it may move reads of an
/// accumulator in front of the wait, or copies into one behind the fence. Costs no instruction.
template <int Elements>
__device__ __forceinline__ void keep_registers(float (&d)[Elements]) {
#pragma unroll
  for (int i = 0; i < Elements; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int Elements>
__device__ __forceinline__ void keep_registers(std::uint32_t (&a)[Elements]) {
#pragma unroll
  for (int i = 0; i < Elements; ++i) asm volatile("" : "+r"(a[i])::"memory");
}

namespace detail {
template <int N>
struct Wgmma;  // one for each N, below: the number of registers is part of the instruction's text
}  // namespace detail

/// D += A * B with A and B in shared memory; D = A * B if `accumulate` is 0. d[N / 2] lies as
/// accumulator_row and accumulator_column say.
/// Caller: the whole warpgroup, after wgmma_fence(); asynchronous until wgmma_wait. N: a multiple
/// of 8 from 8 to 256. Descriptors must be the same in all threads. Transpose says that the operand
/// is mn_major.
template <int N, bool TransposeA = false, bool TransposeB = false>
__device__ __forceinline__ void wgmma_ss(float (&d)[N / 2], std::uint64_t a, std::uint64_t b,
                                         int accumulate = 1) {
  detail::Wgmma<N>::template ss<TransposeA, TransposeB>(d, a, b, accumulate);
}

/// The same with A in registers: a[0] holds row g, columns 2q and 2q + 1 (g = lane / 4, q = lane %
/// 4, rows 16 * warp onwards), a[1] row g + 8, a[2] and a[3] the same rows, columns 8 higher. The
/// registers must not be written until wgmma_wait.
template <int N, bool TransposeB = false>
__device__ __forceinline__ void wgmma_rs(float (&d)[N / 2], const std::uint32_t (&a)[4],
                                         std::uint64_t b, int accumulate = 1) {
  detail::Wgmma<N>::template rs<TransposeB>(d, a, b, accumulate);
}

/// Row (0 to 63) of accumulator element `i` of this thread: d[i] of a m64nN accumulator.
/// Caller: a thread of the warpgroup, by its position in it (threadIdx.x % 128 if the warpgroup
/// begins at a multiple of 128).
__device__ __forceinline__ int accumulator_row(int thread, int i) {
  return (thread / 32) * 16 + (thread % 32) / 4 + ((i >> 1) & 1) * 8;
}

/// Column (0 to N - 1) of the same element. So a thread has, for each group of 8 columns, two
/// neighbours in each of two rows, and the 4 threads of a quad hold a row: reduce over a row with
/// shuffles by 1 and 2.
__device__ __forceinline__ int accumulator_column(int thread, int i) {
  return (i >> 2) * 8 + (thread % 4) * 2 + (i & 1);
}

/// Accumulator columns 16 * k to 16 * k + 15 as the A fragment of a following wgmma with A in
/// registers: no data moves between threads, only the type changes.
template <int Elements>
__device__ __forceinline__ void accumulator_to_a(std::uint32_t (&a)[4], const float (&d)[Elements],
                                                 int k) {
  a[0] = pack_bf16(d[8 * k + 0], d[8 * k + 1]);
  a[1] = pack_bf16(d[8 * k + 2], d[8 * k + 3]);
  a[2] = pack_bf16(d[8 * k + 4], d[8 * k + 5]);
  a[3] = pack_bf16(d[8 * k + 6], d[8 * k + 7]);
}

/// Writes 64 columns (from column 16 * first16 of the accumulator) as bf16 into a box of 64 rows x
/// 64 columns with 128-byte swizzle, ready for a TMA store from it; no bank conflicts.
/// Caller: all 128 threads of a warpgroup, `thread` as in accumulator_row. Then
/// fence_async_shared() and a barrier of the warpgroup before the store.
template <int Elements>
__device__ __forceinline__ void store_accumulator_box(void* box, const float (&d)[Elements],
                                                      int first16, int thread) {
  const int lane = thread % 32;
  const std::uint32_t row = (thread / 32) * 16 + lane % 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float* v = &d[8 * (first16 + i)];
    const std::uint32_t offset = swizzled_offset<Swizzle::k128>(row, i * 32 + (lane / 16) * 16);
    store_matrix_x4(static_cast<char*>(box) + offset, pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3]),
                    pack_bf16(v[4], v[5]), pack_bf16(v[6], v[7]));
  }
}

// The instruction's text for each N. PTX_D<n> names the registers %0 to %(n - 1) of an accumulator,
// PTX_O<n> binds them to d[0] to d[n - 1]; both are built up in steps of 4 registers (8 columns).
#define PTX_D4 "%0, %1, %2, %3"
#define PTX_D8 PTX_D4 ", %4, %5, %6, %7"
#define PTX_D12 PTX_D8 ", %8, %9, %10, %11"
#define PTX_D16 PTX_D12 ", %12, %13, %14, %15"
#define PTX_D20 PTX_D16 ", %16, %17, %18, %19"
#define PTX_D24 PTX_D20 ", %20, %21, %22, %23"
#define PTX_D28 PTX_D24 ", %24, %25, %26, %27"
#define PTX_D32 PTX_D28 ", %28, %29, %30, %31"
#define PTX_D36 PTX_D32 ", %32, %33, %34, %35"
#define PTX_D40 PTX_D36 ", %36, %37, %38, %39"
#define PTX_D44 PTX_D40 ", %40, %41, %42, %43"
#define PTX_D48 PTX_D44 ", %44, %45, %46, %47"
#define PTX_D52 PTX_D48 ", %48, %49, %50, %51"
#define PTX_D56 PTX_D52 ", %52, %53, %54, %55"
#define PTX_D60 PTX_D56 ", %56, %57, %58, %59"
#define PTX_D64 PTX_D60 ", %60, %61, %62, %63"
#define PTX_D68 PTX_D64 ", %64, %65, %66, %67"
#define PTX_D72 PTX_D68 ", %68, %69, %70, %71"
#define PTX_D76 PTX_D72 ", %72, %73, %74, %75"
#define PTX_D80 PTX_D76 ", %76, %77, %78, %79"
#define PTX_D84 PTX_D80 ", %80, %81, %82, %83"
#define PTX_D88 PTX_D84 ", %84, %85, %86, %87"
#define PTX_D92 PTX_D88 ", %88, %89, %90, %91"
#define PTX_D96 PTX_D92 ", %92, %93, %94, %95"
#define PTX_D100 PTX_D96 ", %96, %97, %98, %99"
#define PTX_D104 PTX_D100 ", %100, %101, %102, %103"
#define PTX_D108 PTX_D104 ", %104, %105, %106, %107"
#define PTX_D112 PTX_D108 ", %108, %109, %110, %111"
#define PTX_D116 PTX_D112 ", %112, %113, %114, %115"
#define PTX_D120 PTX_D116 ", %116, %117, %118, %119"
#define PTX_D124 PTX_D120 ", %120, %121, %122, %123"
#define PTX_D128 PTX_D124 ", %124, %125, %126, %127"
#define PTX_O(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define PTX_O4 PTX_O(0)
#define PTX_O8 PTX_O4, PTX_O(4)
#define PTX_O12 PTX_O8, PTX_O(8)
#define PTX_O16 PTX_O12, PTX_O(12)
#define PTX_O20 PTX_O16, PTX_O(16)
#define PTX_O24 PTX_O20, PTX_O(20)
#define PTX_O28 PTX_O24, PTX_O(24)
#define PTX_O32 PTX_O28, PTX_O(28)
#define PTX_O36 PTX_O32, PTX_O(32)
#define PTX_O40 PTX_O36, PTX_O(36)
#define PTX_O44 PTX_O40, PTX_O(40)
#define PTX_O48 PTX_O44, PTX_O(44)
#define PTX_O52 PTX_O48, PTX_O(48)
#define PTX_O56 PTX_O52, PTX_O(52)
#define PTX_O60 PTX_O56, PTX_O(56)
#define PTX_O64 PTX_O60, PTX_O(60)
#define PTX_O68 PTX_O64, PTX_O(64)
#define PTX_O72 PTX_O68, PTX_O(68)
#define PTX_O76 PTX_O72, PTX_O(72)
#define PTX_O80 PTX_O76, PTX_O(76)
#define PTX_O84 PTX_O80, PTX_O(80)
#define PTX_O88 PTX_O84, PTX_O(84)
#define PTX_O92 PTX_O88, PTX_O(88)
#define PTX_O96 PTX_O92, PTX_O(92)
#define PTX_O100 PTX_O96, PTX_O(96)
#define PTX_O104 PTX_O100, PTX_O(100)
#define PTX_O108 PTX_O104, PTX_O(104)
#define PTX_O112 PTX_O108, PTX_O(108)
#define PTX_O116 PTX_O112, PTX_O(112)
#define PTX_O120 PTX_O116, PTX_O(116)
#define PTX_O124 PTX_O120, PTX_O(120)
#define PTX_O128 PTX_O124, PTX_O(124)

// r0 to r6 are the numbers of the operands that follow the accumulator's.
#define PTX_WGMMA(N, r0, r1, r2, r3, r4, r5, r6)                                                   \
  template <>                                                                                      \
  struct Wgmma<N> {                                                                                \
    template <bool TransposeA, bool TransposeB>                                                    \
    static __device__ __forceinline__ void ss(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, \
                                              int accumulate) {                                    \
      asm volatile(                                                                                \
          "{\n"                                                                                    \
          ".reg .pred p;\n"                                                                        \
          "setp.ne.b32 p, %" #r2                                                                   \
          ", 0;\n"                                                                                 \
          "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" PTX_D##r0                   \
          "}, %" #r0 ", %" #r1 ", p, 1, 1, %" #r3 ", %" #r4                                        \
          ";\n"                                                                                    \
          "}\n"                                                                                    \
          : PTX_O##r0                                                                              \
          : "l"(a), "l"(b), "r"(accumulate), "n"(int(TransposeA)), "n"(int(TransposeB)));          \
    }                                                                                              \
    template <bool TransposeB>                                                                     \
    static __device__ __forceinline__ void rs(float (&d)[N / 2], const std::uint32_t (&a)[4],      \
                                              std::uint64_t b, int accumulate) {                   \
      asm volatile(                                                                                \
          "{\n"                                                                                    \
          ".reg .pred p;\n"                                                                        \
          "setp.ne.b32 p, %" #r5                                                                   \
          ", 0;\n"                                                                                 \
          "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" PTX_D##r0                   \
          "}, {%" #r0 ", %" #r1 ", %" #r2 ", %" #r3 "}, %" #r4 ", p, 1, 1, %" #r6                  \
          ";\n"                                                                                    \
          "}\n"                                                                                    \
          : PTX_O##r0                                                                              \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate),                   \
            "n"(int(TransposeB)));                                                                 \
    }                                                                                              \
  };

namespace detail {

PTX_WGMMA(8, 4, 5, 6, 7, 8, 9, 10)
PTX_WGMMA(16, 8, 9, 10, 11, 12, 13, 14)
PTX_WGMMA(24, 12, 13, 14, 15, 16, 17, 18)
PTX_WGMMA(32, 16, 17, 18, 19, 20, 21, 22)
PTX_WGMMA(40, 20, 21, 22, 23, 24, 25, 26)
PTX_WGMMA(48, 24, 25, 26, 27, 28, 29, 30)
PTX_WGMMA(56, 28, 29, 30, 31, 32, 33, 34)
PTX_WGMMA(64, 32, 33, 34, 35, 36, 37, 38)
PTX_WGMMA(72, 36, 37, 38, 39, 40, 41, 42)
PTX_WGMMA(80, 40, 41, 42, 43, 44, 45, 46)
PTX_WGMMA(88, 44, 45, 46, 47, 48, 49, 50)
PTX_WGMMA(96, 48, 49, 50, 51, 52, 53, 54)
PTX_WGMMA(104, 52, 53, 54, 55, 56, 57, 58)
PTX_WGMMA(112, 56, 57, 58, 59, 60, 61, 62)
PTX_WGMMA(120, 60, 61, 62, 63, 64, 65, 66)
PTX_WGMMA(128, 64, 65, 66, 67, 68, 69, 70)
PTX_WGMMA(136, 68, 69, 70, 71, 72, 73, 74)
PTX_WGMMA(144, 72, 73, 74, 75, 76, 77, 78)
PTX_WGMMA(152, 76, 77, 78, 79, 80, 81, 82)
PTX_WGMMA(160, 80, 81, 82, 83, 84, 85, 86)
PTX_WGMMA(168, 84, 85, 86, 87, 88, 89, 90)
PTX_WGMMA(176, 88, 89, 90, 91, 92, 93, 94)
PTX_WGMMA(184, 92, 93, 94, 95, 96, 97, 98)
PTX_WGMMA(192, 96, 97, 98, 99, 100, 101, 102)
PTX_WGMMA(200, 100, 101, 102, 103, 104, 105, 106)
PTX_WGMMA(208, 104, 105, 106, 107, 108, 109, 110)
PTX_WGMMA(216, 108, 109, 110, 111, 112, 113, 114)
PTX_WGMMA(224, 112, 113, 114, 115, 116, 117, 118)
PTX_WGMMA(232, 116, 117, 118, 119, 120, 121, 122)
PTX_WGMMA(240, 120, 121, 122, 123, 124, 125, 126)
PTX_WGMMA(248, 124, 125, 126, 127, 128, 129, 130)
PTX_WGMMA(256, 128, 129, 130, 131, 132, 133, 134)
}  // namespace detail

#undef PTX_WGMMA

}  // namespace ptx
