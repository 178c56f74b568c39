#include "ranks/profile/cuda/gpu_context.h"

#include <array>
#include <cstdio>

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {

GpuContext::GpuContext(int rank_on_host) {
  PTXBATCH_CALL(cuInit(0));
  int count = 0;
  PTXBATCH_CALL(cuDeviceGetCount(&count));
  if (count == 0) throw CudaFailure("no GPU is visible to this process");
  ordinal_ = rank_on_host % count;
  PTXBATCH_CALL(cuDeviceGet(&device_, ordinal_));
  // The wait for a call's end is part of what the rank sees of it: spinning ends it soonest.
  PTXBATCH_CALL(cuDevicePrimaryCtxSetFlags(device_, CU_CTX_SCHED_SPIN));
  CUcontext context = nullptr;
  PTXBATCH_CALL(cuDevicePrimaryCtxRetain(&context, device_));
  PTXBATCH_CALL(cuCtxSetCurrent(context));
}

std::string GpuContext::name() const {
  std::array<char, 256> name{};
  PTXBATCH_CALL(cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_));
  return name.data();
}

std::string GpuContext::uuid() const {
  CUuuid uuid{};
  PTXBATCH_CALL(cuDeviceGetUuid(&uuid, device_));
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits.data();
  }
  return text;
}

std::string GpuContext::architecture() const {
  return "sm_" + std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
         std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

int GpuContext::attribute(CUdevice_attribute what) const {
  int value = 0;
  PTXBATCH_CALL(cuDeviceGetAttribute(&value, what, device_));
  return value;
}

}  // namespace ptxbatch
