// Says what a candidate touched when it dies of a bad memory access, while it still can: a signal
// handler on a stack of its own looks the address up and sends one prepared FaultNote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptxbatch {

struct FaultRegion {
  std::span<const std::byte> addresses;
  std::string place;  // "just behind output C"
};

/// Installs the handler for SIGSEGV and SIGBUS, once in a process; it sends on `channel_fd`.
void install_fault_reporter(int channel_fd, const std::vector<FaultRegion>& regions);

}  // namespace ptxbatch
