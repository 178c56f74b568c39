// What every test candidate for C = A B^T begins with: the arguments of `run` unpacked from the
// TVM-FFI C ABI (its C++ headers take seconds to compile, and these candidates are many).
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>

struct Gemm {
  const float* a;
  const float* b;
  float* c;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;

  explicit Gemm(const TVMFFIAny* arguments) {
    const auto* ta = static_cast<const DLTensor*>(arguments[0].v_ptr);
    const auto* tb = static_cast<const DLTensor*>(arguments[1].v_ptr);
    const auto* tc = static_cast<const DLTensor*>(arguments[2].v_ptr);
    a = static_cast<const float*>(ta->data);
    b = static_cast<const float*>(tb->data);
    c = static_cast<float*>(tc->data);
    m = ta->shape[0];
    k = ta->shape[1];
    n = tb->shape[0];
  }

  float element(std::int64_t i, std::int64_t j) const {
    float sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
    return sum;
  }
  void compute() const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] = element(i, j);
    }
  }
};

#define CANDIDATE_EXPORT extern "C" __attribute__((visibility("default")))
#define RUN_ARGUMENTS void *, const TVMFFIAny *arguments, std::int32_t, TVMFFIAny *
