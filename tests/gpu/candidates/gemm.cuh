// What every test candidate for C = A B^T in bf16 begins with: the arguments of `run` unpacked from
// the TVM-FFI C ABI (its C++ headers take seconds to compile, and these candidates are many), and
// an honest, slow kernel. Each candidate defines `void run(const Gemm&)`; an exception comes out of
// it as an error of the C ABI.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

#define CANDIDATE_EXPORT extern "C" __attribute__((visibility("default")))

using bf16 = __nv_bfloat16;

constexpr int kTile = 16;

// One block for 16 x 16 of C.
static __global__ void gemm_kernel(const bf16* a, const bf16* b, bf16* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile + 1];
  __shared__ float tile_b[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    const int b_row = blockIdx.x * kTile + threadIdx.y;
    const int at = k0 + threadIdx.x;
    tile_a[threadIdx.y][threadIdx.x] = row < m && at < k ? __bfloat162float(a[row * k + at]) : 0.0F;
    tile_b[threadIdx.y][threadIdx.x] =
        b_row < n && at < k ? __bfloat162float(b[b_row * k + at]) : 0.0F;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = __float2bfloat16(sum);
}

struct Gemm {
  const bf16* a;
  const bf16* b;
  bf16* c;
  int m;
  int n;
  int k;
  cudaStream_t stream;

  explicit Gemm(const TVMFFIAny* arguments) {
    const auto* ta = static_cast<const DLTensor*>(arguments[0].v_ptr);
    const auto* tb = static_cast<const DLTensor*>(arguments[1].v_ptr);
    const auto* tc = static_cast<const DLTensor*>(arguments[2].v_ptr);
    a = static_cast<const bf16*>(ta->data);
    b = static_cast<const bf16*>(tb->data);
    c = static_cast<bf16*>(tc->data);
    m = static_cast<int>(ta->shape[0]);
    k = static_cast<int>(ta->shape[1]);
    n = static_cast<int>(tb->shape[0]);
    stream =
        static_cast<cudaStream_t>(TVMFFIEnvGetStream(tc->device.device_type, tc->device.device_id));
  }

  std::size_t c_elements() const { return static_cast<std::size_t>(m) * n; }
  std::size_t c_bytes() const { return c_elements() * sizeof(bf16); }
  dim3 grid() const { return dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile); }
  static dim3 block() { return dim3(kTile, kTile); }

  void compute_into(bf16* out, cudaStream_t on) const {
    gemm_kernel<<<grid(), block(), 0, on>>>(a, b, out, m, n, k);
  }
  void compute() const { compute_into(c, stream); }
};

static inline void must(bool succeeded, const char* what) {
  if (!succeeded) throw std::runtime_error(what);
}
static inline void must(cudaError_t error) {
  must(error == cudaSuccess, cudaGetErrorString(error));
}
/// For attempts that the sandbox has to refuse: the candidate is right when they failed, and
/// crashes when one succeeded.
static inline void must_be_refused(bool succeeded) {
  if (succeeded) __builtin_trap();
}

static void run(const Gemm& g);

CANDIDATE_EXPORT int __tvm_ffi_run(void* /*self*/, const TVMFFIAny* arguments,
                                   std::int32_t /*count*/, TVMFFIAny* /*result*/) {
  try {
    run(Gemm(arguments));
    return 0;
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", error.what());
    return -1;
  }
}
