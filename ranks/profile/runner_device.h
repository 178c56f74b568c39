// What differs between the runners of two targets: how the keeper's memory is mapped, how one call
// is timed, and what the device's driver needs of the sandbox. The constructor does what may take
// long (a CUDA context), since it runs while the runner stands by.
#pragma once

#include <dlpack/dlpack.h>

#include <functional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/unique_fd.h"
#include "ranks/profile/fault_reporter.h"
#include "ranks/profile/messages.h"
#include "ranks/profile/sandbox.h"

namespace ptxbatch {

class RunnerDevice {
 public:
  virtual ~RunnerDevice() = default;

  [[nodiscard]] virtual DLDevice dl_device() const = 0;
  /// Maps one tensor for the life of the process: inputs read-only. `name` is "input A".
  virtual Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                                   const std::string& name) = 0;
  /// Runs `call` to its end on the device and gives its span in seconds. On a GPU: last end minus
  /// first start over all activity it launched, on the stream set for TVM-FFI.
  virtual Result<double> time_call(const std::function<void()>& call) = 0;
  /// What the device needs beyond the sandbox of every runner.
  [[nodiscard]] virtual SandboxPolicy sandbox_additions() const = 0;
  /// Addresses of this process whose access tells something; none where a fault has no address.
  [[nodiscard]] virtual std::vector<FaultRegion> fault_regions() const = 0;
};

}  // namespace ptxbatch
