#include "ranks/profile/cuda/device_peaks.h"

#include <array>

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {
namespace {

// Dense bfloat16 or float16 operations with float32 accumulation that one SM finishes in one clock.
// Hopper: 989.4 TFLOP/s at 1830 MHz on 132 SMs (NVIDIA H100 datasheet); Blackwell: 2.25 PFLOP/s
// on 148 SMs at 1850 MHz (NVIDIA B200 datasheet).
struct TensorCoreRate {
  int compute_capability_major;
  double flops_per_sm_and_clock;
};
constexpr std::array<TensorCoreRate, 2> kTensorCoreRates = {{{9, 4096}, {10, 8192}}};

double attribute(CUdevice device, CUdevice_attribute what) {
  int value = 0;
  PTXBATCH_CALL(cuDeviceGetAttribute(&value, what, device));
  return value;
}

}  // namespace

DevicePeaks device_peaks(CUdevice device) {
  const double clock_hz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3;
  const double sms = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const double memory_clock_hz = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3;
  const double bus_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  DevicePeaks peaks;
  peaks.bytes_per_s = 2 * memory_clock_hz * bus_bytes;  // two transfers a clock
  const double major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  for (const TensorCoreRate& rate : kTensorCoreRates) {
    if (rate.compute_capability_major == major) {
      peaks.flops_per_s = rate.flops_per_sm_and_clock * sms * clock_hz;
    }
  }
  return peaks;
}

}  // namespace ptxbatch
