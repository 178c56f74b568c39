// Locking this process down before it loads code that nobody vouches for: no capabilities, Landlock
// for files, seccomp for system calls. What is not needed to compute is not allowed.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct SandboxPolicy {
  std::vector<std::string> readable;  // files, and folders with all in them
  std::vector<std::string> writable;
  std::vector<int> system_calls;  // beyond those for computing, for a device's driver
  // A profiler's part in the process starts threads, takes file locks, and changes the mode of its
  // lock file: that is answered as if it had been done.
  bool under_profiler = false;
};

/// For good, for this thread and all that it starts. Gives the protections that this kernel lacks,
/// as text for the log, empty when it has all; an error when one that it has cannot be set up.
Result<std::string> enter_sandbox(const SandboxPolicy& policy);

}  // namespace ptxbatch
