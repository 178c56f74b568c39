// Registers to shared memory and back: conversions, swizzled addresses, ldmatrix, stmatrix. PTX
// ISA: cvt, ldmatrix, stmatrix, and "Swizzling Modes".
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
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
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

}  // namespace ptx
