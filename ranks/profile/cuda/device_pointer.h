// CUDA has two names for an address on the device: a number for its driver, a pointer for kernels
// and libraries.
#pragma once

#include <cuda.h>

namespace ptxbatch {

template <class T = void>
T* device_pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): never followed here
}

}  // namespace ptxbatch
