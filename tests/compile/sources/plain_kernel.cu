// C = A + B on a GPU, bound through TVM-FFI: no target instruction.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void add(const float* a, const float* b, float* c, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void run_add(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const long n = c.size(0);
  const DLDevice device = c.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  add<<<(n + 255) / 256, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()),
                                           static_cast<const float*>(b.data_ptr()),
                                           static_cast<float*>(c.data_ptr()), n);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_add);
