// C = A + B for two float vectors of the same, arbitrary length: how a kernel is bound.
#include <tvm/ffi/tvm_ffi.h>

#include <immintrin.h>

#include <cstdint>

namespace {

// The kernel proper knows pointers and sizes only.
void add(const float* a, const float* b, float* c, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(c + i, _mm256_add_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
  }
  for (; i < n; ++i) c[i] = a[i] + b[i];
}

// The binding: inputs first, then outputs, in the definition's order.
void run_add(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  add(static_cast<const float*>(a.data_ptr()), static_cast<const float*>(b.data_ptr()),
      static_cast<float*>(c.data_ptr()), c.size(0));
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_add);
