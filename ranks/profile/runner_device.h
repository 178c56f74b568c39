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

/// One call of the candidate as the device saw it.
struct TimedCall {
  double seconds = 0;  // on a GPU: last end minus first start over all that it launched
  // GPU only; see RunReturned.
  int device_error = 0;
  std::string device_fault;
  std::string violation;
  bool incomplete = false;
};

class RunnerDevice {
 public:
  virtual ~RunnerDevice() = default;

  [[nodiscard]] virtual DLDevice dl_device() const = 0;
  /// Maps one tensor for the life of the process: inputs read-only. `name` is "input A".
  virtual Result<void*> map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                                   const std::string& name) = 0;
  /// Runs `call` to its end on the device.
  virtual Result<TimedCall> time_call(const std::function<void()>& call) = 0;
  /// Whether the kernel's limit on addresses says something about memory used: a GPU's driver
  /// reserves far more addresses than there is memory.
  [[nodiscard]] virtual bool limits_addresses() const = 0;
  /// Whether a candidate may open the system's libraries. Not on a GPU: all that it links against
  /// is loaded before it, and among the others are the libraries that it must not use.
  [[nodiscard]] virtual bool allows_system_libraries() const = 0;
  /// What the device needs beyond the sandbox of every runner.
  [[nodiscard]] virtual SandboxPolicy sandbox_additions() const = 0;
  /// For a runner that counts instead of timing: the kernel function to be counted, before its
  /// call, and what was counted, after it.
  virtual Status count_function(const std::string& function) {
    (void)function;
    return fail(ErrorKind::kProtocol, "this runner does not count instructions");
  }
  virtual Result<FunctionCounts> take_counts() {
    return fail(ErrorKind::kProtocol, "this runner does not count instructions");
  }
  /// Addresses of this process whose access tells something; none where a fault has no address.
  [[nodiscard]] virtual std::vector<FaultRegion> fault_regions() const = 0;
};

}  // namespace ptxbatch
