// The processes that a command started, found through /proc by parent, to be killed one by one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/clock.h"
#include "common/unique_fd.h"

namespace ptxbatch {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string name;  // of the program, as the kernel has it: cut after 15 characters
  double cpu_s = 0;  // used so far
};

/// Every living process below `root`, itself first.
std::vector<Process> process_tree(pid_t root);

/// Handles of processes that stay valid when their numbers are used again.
class ProcessHandles {
 public:
  explicit ProcessHandles(const std::vector<Process>& processes);
  /// Kills them all with SIGKILL.
  void kill_all() const;
  /// Whether all have ended by `deadline`.
  [[nodiscard]] bool wait_for_end(Deadline deadline) const;

 private:
  std::vector<UniqueFd> handles_;
};

}  // namespace ptxbatch
