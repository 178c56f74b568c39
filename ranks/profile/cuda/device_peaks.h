// What a GPU can do at best, from which no latency can be shorter (the roofline bound).
#pragma once

#include <cuda.h>

namespace ptxbatch {

struct DevicePeaks {
  double flops_per_s = 0;  // dense 16-bit tensor-core products at the highest clock; 0: unknown
  double bytes_per_s = 0;  // device memory
};

DevicePeaks device_peaks(CUdevice device);

}  // namespace ptxbatch
