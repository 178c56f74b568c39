// C = A + B for two bf16 tensors of the same, arbitrary shape: how a kernel is bound.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cuda_bf16.h>

#include <cstdint>
#include <stdexcept>

namespace {

__global__ void add(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                    std::int64_t n) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) c[i] = __float2bfloat16(__bfloat162float(a[i]) + __bfloat162float(b[i]));
}

// The binding: inputs first, then outputs, in the definition's order.
void run_add(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  std::int64_t n = 1;
  for (int i = 0; i < c.ndim(); ++i) n *= c.size(i);
  const DLDevice device = c.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  constexpr int kThreads = 256;
  add<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      n);
  // A launch that failed (too much shared memory, say) is reported only here.
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_add);
