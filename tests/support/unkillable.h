// A process that SIGKILL does not end, as one that hangs in a driver: a tracer holds it at the
// door.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ptxbatch {

class Unkillable {
 public:
  /// Must be destroyed by the thread that made it; the process then ends, if it was killed.
  explicit Unkillable(pid_t pid) : pid_(pid) {
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXIT) != 0) {
      throw std::runtime_error(std::string("cannot trace the process: ") + std::strerror(errno));
    }
  }
  ~Unkillable() { ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr); }
  Unkillable(const Unkillable&) = delete;
  Unkillable& operator=(const Unkillable&) = delete;

 private:
  pid_t pid_;
};

}  // namespace ptxbatch
