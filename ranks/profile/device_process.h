// How a keeper and a runner are started on a target: pinned to a core on the host, and with what a
// GPU's driver needs of the environment otherwise. Everything else of the environment is left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/process.h"

namespace ptxbatch {

inline bool is_gpu_target(const std::string& target) {
  return target != "host";
}

/// A device of a target, as a rank has it.
struct DevicePlace {
  std::string target = "host";
  int device = 0;  // host: the core; GPU: which of those that are visible, wrapped around
  double death_within_s = 10;                       // of a process that was killed
  std::function<void()> when_unkillable = nullptr;  // it was not

  [[nodiscard]] bool is_gpu() const { return is_gpu_target(target); }
};

/// `program CHANNEL_FD DEVICE`, with `scratch` as its working directory.
ProcessSpec device_process(const DevicePlace& place, const std::string& program, int channel_fd,
                           const std::string& scratch);

}  // namespace ptxbatch
