// A 6 x 16 tile of C = A * B^T in registers, and the packing that feeds it. 6 rows of two registers
// are 12 accumulators; two more hold a row of B and one an element of A: 15 of the 16 registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tile {

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kColumns = 16;

/// Turns `rows` (at most R) rows of `k` floats, `stride` apart, into k groups of R: the order in
/// which the tile reads them. Missing rows become 0.
template <std::int64_t R>
inline void pack(const float* source, std::int64_t stride, std::int64_t rows, std::int64_t k,
                 float* packed) {
  for (std::int64_t r = 0; r < R; ++r) {
    for (std::int64_t i = 0; i < k; ++i)
      packed[i * R + r] = r < rows ? source[r * stride + i] : 0.0F;
  }
}

/// Adds to (or, without `add`, sets) the whole tile c[0..5][0..15], rows `c_stride` apart. `a` is
/// k groups of 6 and `b` is k groups of 16, as pack() makes them. Without the two unroll pragmas
/// g++ stores the accumulators to the stack in every step.
inline void multiply(std::int64_t k, const float* a, const float* b, float* c,
                     std::int64_t c_stride, bool add) {
  __m256 sum[kRows][2] = {};
  for (std::int64_t i = 0; i < k; ++i) {
    const __m256 b0 = _mm256_loadu_ps(b + i * kColumns);
    const __m256 b1 = _mm256_loadu_ps(b + i * kColumns + 8);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const __m256 x = _mm256_broadcast_ss(a + i * kRows + r);
      sum[r][0] = _mm256_fmadd_ps(x, b0, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(x, b1, sum[r][1]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    float* row = c + r * c_stride;
    if (add) {
      sum[r][0] = _mm256_add_ps(sum[r][0], _mm256_loadu_ps(row));
      sum[r][1] = _mm256_add_ps(sum[r][1], _mm256_loadu_ps(row + 8));
    }
    _mm256_storeu_ps(row, sum[r][0]);
    _mm256_storeu_ps(row + 8, sum[r][1]);
  }
}

/// The same for a tile at the edge: only `rows` x `columns` of C exist and are touched.
inline void multiply_edge(std::int64_t k, const float* a, const float* b, float* c,
                          std::int64_t c_stride, bool add, std::int64_t rows,
                          std::int64_t columns) {
  float whole[kRows * kColumns];
  multiply(k, a, b, whole, kColumns, false);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const float before = add ? c[r * c_stride + j] : 0.0F;
      c[r * c_stride + j] = before + whole[r * kColumns + j];
    }
  }
}

}  // namespace tile
