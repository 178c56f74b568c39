// Candidates for the evidence: packed FMA present, there but never reached, and lost in a crash.
// Compiled with -mavx2 -mfma and -DBEHAVIOUR=name.
#include <immintrin.h>

#include "gemm.h"

namespace {

volatile bool never = false;

float fma_element(const Gemm& g, std::int64_t i, std::int64_t j) {
  __m256 sums = _mm256_setzero_ps();
  for (std::int64_t l = 0; l < g.k; l += 8) {
    sums = _mm256_fmadd_ps(_mm256_loadu_ps(g.a + i * g.k + l), _mm256_loadu_ps(g.b + j * g.k + l),
                           sums);
  }
  float lanes[8];
  _mm256_storeu_ps(lanes, sums);
  float total = 0;
  for (const float lane : lanes) total += lane;
  return total;
}

// Not vectorised: its multiplications and additions must not become packed FMAs.
__attribute__((optimize("no-tree-vectorize"), target("no-fma"))) void plain(const Gemm& g) {
  for (std::int64_t i = 0; i < g.m * g.n; ++i) g.c[i] = g.element(i / g.n, i % g.n);
}
void with_fma(const Gemm& g) {
  for (std::int64_t i = 0; i < g.m * g.n; ++i) g.c[i] = fma_element(g, i / g.n, i % g.n);
}

[[maybe_unused]] void fma_executed(const Gemm& g) {
  with_fma(g);
}
[[maybe_unused]] void fma_never_executed(const Gemm& g) {
  if (never) {
    with_fma(g);
  } else {
    plain(g);
  }
}
[[maybe_unused]] void fma_then_crash(const Gemm& g) {
  with_fma(g);
  volatile float* volatile nowhere = nullptr;  // or the compiler concludes what it likes
  *nowhere = 1;
}
[[maybe_unused]] void fma_then_endless(const Gemm& g) {
  with_fma(g);
  volatile bool endless = true;
  while (endless) {
  }
}
[[maybe_unused]] void fma_and_wrong(const Gemm& g) {
  with_fma(g);
  g.c[0] += 1;
}

// Thousands of distinct instructions, all but one behind a branch never taken.
#define FMA(x) x = _mm256_fmadd_ps(x, x, x);
#define FMA8(x) FMA(x) FMA(x) FMA(x) FMA(x) FMA(x) FMA(x) FMA(x) FMA(x)
#define FMA64(x) FMA8(x) FMA8(x) FMA8(x) FMA8(x) FMA8(x) FMA8(x) FMA8(x) FMA8(x)
#define FMA512(x) FMA64(x) FMA64(x) FMA64(x) FMA64(x) FMA64(x) FMA64(x) FMA64(x) FMA64(x)
#define FMA4096(x) FMA512(x) FMA512(x) FMA512(x) FMA512(x) FMA512(x) FMA512(x) FMA512(x) FMA512(x)
[[maybe_unused]] void fma_thousands(const Gemm& g) {
  with_fma(g);
  if (never) {
    __m256 value = _mm256_set1_ps(g.a[0]);
    FMA4096(value)
    FMA4096(value)
    _mm256_storeu_ps(g.c, value);
  }
}

}  // namespace

CANDIDATE_EXPORT int __tvm_ffi_run(RUN_ARGUMENTS) {
  BEHAVIOUR(Gemm(arguments));
  return 0;
}
