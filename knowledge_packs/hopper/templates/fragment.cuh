// Registers to shared memory and back: conversions, swizzled addresses, ldmatrix, stmatrix, and
// where the elements of a wgmma accumulator are. PTX ISA: ldmatrix, stmatrix, cvt, and the register
// fragments of wgmma.
#pragma once

#include "tensor_map.cuh"
#include "thread.cuh"

namespace ptx {

/// Two floats as bf16 in one register, `low` in the lower half (the element with the lower index).
__device__ __forceinline__ std::uint32_t pack_bf16(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

/// The lower and the upper half of a packed pair.
__device__ __forceinline__ float low_bf16(std::uint32_t packed) {
  return __uint_as_float(packed << 16);
}
__device__ __forceinline__ float high_bf16(std::uint32_t packed) {
  return __uint_as_float(packed & 0xFFFF0000U);
}

/// Byte offset in a box of the element at (row, byte_column), as TMA stores it and wgmma reads it.
/// The box begins where its swizzle demands; byte_column is below the row's width, which is that of
/// the swizzle. Without swizzle give the row's width.
template <Swizzle S>
__host__ __device__ __forceinline__ std::uint32_t swizzled_offset(std::uint32_t row,
                                                                  std::uint32_t byte_column,
                                                                  std::uint32_t row_bytes = 0) {
  if constexpr (S == Swizzle::k128) {
    return row * 128 + (byte_column ^ ((row & 7U) << 4));
  } else if constexpr (S == Swizzle::k64) {
    return row * 64 + (byte_column ^ (((row >> 1) & 3U) << 4));
  } else if constexpr (S == Swizzle::k32) {
    return row * 32 + (byte_column ^ (((row >> 2) & 1U) << 4));
  } else {
    return row * row_bytes + byte_column;
  }
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
__device__ __forceinline__ void accumulator_to_a(std::uint32_t (&a)[4],
                                                 const float (&d)[Elements], int k) {
  a[0] = pack_bf16(d[8 * k + 0], d[8 * k + 1]);
  a[1] = pack_bf16(d[8 * k + 2], d[8 * k + 3]);
  a[2] = pack_bf16(d[8 * k + 4], d[8 * k + 5]);
  a[3] = pack_bf16(d[8 * k + 6], d[8 * k + 7]);
}

/// Loads four 8 x 8 matrices of 16-bit elements. Lane l gives the address of row l % 8 of matrix
/// l / 8 (16 bytes, aligned to 16) and receives in r[m] elements 2 * (l % 4) and + 1 of row l / 4.
/// Caller: a whole warp.
__device__ __forceinline__ void load_matrix_x4(std::uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

/// The same with each matrix transposed on the way.
__device__ __forceinline__ void load_matrix_x4_transposed(std::uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Stores four 8 x 8 matrices, the inverse of load_matrix_x4.
/// Caller: a whole warp.
__device__ __forceinline__ void store_matrix_x4(void* row, std::uint32_t r0, std::uint32_t r1,
                                                std::uint32_t r2, std::uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(r0), "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

__device__ __forceinline__ void store_matrix_x4_transposed(void* row, std::uint32_t r0,
                                                           std::uint32_t r1, std::uint32_t r2,
                                                           std::uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(r0), "r"(r1), "r"(r2), "r"(r3)
               : "memory");
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

}  // namespace ptx
