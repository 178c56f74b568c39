#include "ranks/profile/device_process.h"

#include <cstdlib>

namespace ptxbatch {
namespace {

// Which GPUs the launcher gave to this rank, and where its CUDA libraries are.
constexpr const char* kPassedOn[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                     "LD_LIBRARY_PATH"};

}  // namespace

ProcessSpec device_process(const DevicePlace& place, const std::string& program, int channel_fd,
                           const std::string& scratch) {
  ProcessSpec process;
  process.argv = {program, std::to_string(channel_fd), std::to_string(place.device)};
  process.environment = scrubbed_environment(scratch);
  process.working_directory = scratch;
  process.death_within_s = place.death_within_s;
  process.when_unkillable = place.when_unkillable;
  if (!place.is_gpu()) {
    process.cpu = place.device;
    return process;
  }
  for (const char* name : kPassedOn) {
    const char* value = std::getenv(name);
    if (value != nullptr) process.environment.push_back(std::string(name) + "=" + value);
  }
  return process;
}

}  // namespace ptxbatch
