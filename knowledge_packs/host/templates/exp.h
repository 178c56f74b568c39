// exp of eight floats at once, relative error below 2e-7 where the result is a normal number.
#pragma once

#include <immintrin.h>

namespace vec {

/// exp(x) = 2^n * exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2. Below -87.3 the result is
/// cut off near 1.2e-38 (so exp(-inf) is nearly, not exactly, 0), above 88 near 1.6e38; NaN becomes
/// a number.
inline __m256 exp(__m256 x) {
  x = _mm256_min_ps(x, _mm256_set1_ps(88.0F));
  x = _mm256_max_ps(x, _mm256_set1_ps(-87.33F));
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504F)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  // r = x - n * ln(2), with ln(2) in two parts so that nothing is lost.
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), r);
  // exp(r) = 1 + r + r^2 * p(r)
  __m256 p = _mm256_set1_ps(1.9875691500e-4F);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1F));
  const __m256 e = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, _mm256_set1_ps(1.0F)));
  // 2^n goes straight into the exponent bits.
  const __m256i bits =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(e, _mm256_castsi256_ps(bits));
}

}  // namespace vec
