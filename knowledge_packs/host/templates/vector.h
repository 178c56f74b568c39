// Eight floats in a register: loads and stores for any alignment, rests of a row, reductions.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace vec {

inline __m256 load(const float* p) {
  return _mm256_loadu_ps(p);
}
inline void store(float* p, __m256 v) {
  _mm256_storeu_ps(p, v);
}
inline __m256 splat(float x) {
  return _mm256_set1_ps(x);
}

/// A mask for the first `count` of eight lanes; 0 <= count <= 8.
inline __m256i first_lanes(std::int64_t count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane);
}

/// Loads and stores that touch only the lanes of `mask`: nothing is read or written past a row's
/// end. Lanes left out are loaded as 0.
inline __m256 load(const float* p, __m256i mask) {
  return _mm256_maskload_ps(p, mask);
}
inline void store(float* p, __m256i mask, __m256 v) {
  _mm256_maskstore_ps(p, mask, v);
}

/// The sum of all lanes. Costly next to an FMA: once at the end of a loop, not inside.
inline float sum(__m256 v) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  x = _mm_add_ss(x, _mm_movehdup_ps(x));
  return _mm_cvtss_f32(x);
}

/// The largest lane.
inline float max(__m256 v) {
  __m128 x = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  x = _mm_max_ps(x, _mm_movehl_ps(x, x));
  x = _mm_max_ss(x, _mm_movehdup_ps(x));
  return _mm_cvtss_f32(x);
}

/// The dot product of two rows of any length, with four accumulators to hide the FMA's latency.
inline float dot(const float* a, const float* b, std::int64_t n) {
  __m256 s0 = _mm256_setzero_ps();
  __m256 s1 = _mm256_setzero_ps();
  __m256 s2 = _mm256_setzero_ps();
  __m256 s3 = _mm256_setzero_ps();
  std::int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    s0 = _mm256_fmadd_ps(load(a + i), load(b + i), s0);
    s1 = _mm256_fmadd_ps(load(a + i + 8), load(b + i + 8), s1);
    s2 = _mm256_fmadd_ps(load(a + i + 16), load(b + i + 16), s2);
    s3 = _mm256_fmadd_ps(load(a + i + 24), load(b + i + 24), s3);
  }
  for (; i < n; i += 8) {
    const __m256i mask = first_lanes(n - i < 8 ? n - i : 8);
    s0 = _mm256_fmadd_ps(load(a + i, mask), load(b + i, mask), s0);
  }
  return sum(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
}

}  // namespace vec
