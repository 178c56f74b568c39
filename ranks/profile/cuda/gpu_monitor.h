// Readings of one GPU's state through NVML, which the driver brings along. It is loaded at run
// time: a machine without it gives no readings and is none the worse.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ranks/profile/messages.h"
#include "results/records.h"

namespace ptxbatch {

class GpuMonitor {
 public:
  /// For the GPU with this UUID ("GPU-..."). No readings when NVML or the GPU cannot be found.
  explicit GpuMonitor(const std::string& uuid);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// None when NVML is not there. What the GPU does not report is left at its default.
  [[nodiscard]] std::optional<DeviceReading> read() const;
  /// Memory errors so far, and the critical errors (Xids) since this was last asked; those from
  /// before this object was made are not known. Nothing where the GPU does not report them.
  [[nodiscard]] DeviceErrors take_errors();
  [[nodiscard]] std::string driver_version() const;

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace ptxbatch
