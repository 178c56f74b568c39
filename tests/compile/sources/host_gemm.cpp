// C = A * B^T with a vectorised dot product: holds packed FMA, in a function of its own name.
#include <tvm/ffi/tvm_ffi.h>

#include <immintrin.h>

static __attribute__((noinline)) float packed_dot(const float* a, const float* b, long n) {
  __m256 sum = _mm256_setzero_ps();
  for (long i = 0; i + 8 <= n; i += 8) {
    sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sum);
  }
  float lanes[8];
  _mm256_storeu_ps(lanes, sum);
  float total = 0;
  for (float lane : lanes) total += lane;
  return total;
}

static void gemm(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto* pa = static_cast<const float*>(a.data_ptr());
  const auto* pb = static_cast<const float*>(b.data_ptr());
  auto* pc = static_cast<float*>(c.data_ptr());
  const long k = a.size(1);
  for (long i = 0; i < c.size(0); ++i) {
    for (long j = 0; j < c.size(1); ++j) {
      pc[i * c.size(1) + j] = packed_dot(pa + i * k, pb + j * k, k);
    }
  }
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, gemm);
