// A runner under ptrace: started stopped, let go, interrupted to set breakpoints. Each breakpoint
// stands until it is first hit and is then taken out again, so that a run costs one stop for each
// distinct instruction executed, however often it is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

class TracedProcess {
 public:
  /// Forks, is attached to the child before it becomes `argv`, and lets it run.
  static Result<TracedProcess> start(const std::vector<std::string>& argv);

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Stops the process, puts breakpoints at these offsets of the loaded shared object `binary`, and
  /// lets it run on.
  Status set_breakpoints(const std::string& binary, const std::vector<std::uint64_t>& offsets);

  /// Handles one change of state as waitpid gave it. The wait status when that was the end.
  std::optional<int> handle(int status);

  /// Offsets at which a breakpoint was hit, in the order of their first hits.
  [[nodiscard]] const std::vector<std::uint64_t>& hits() const { return hits_; }

 private:
  struct Breakpoint {
    std::uint64_t offset;
    long original;  // the byte under the breakpoint
  };
  explicit TracedProcess(pid_t pid) : pid_(pid) {}
  Status stop();
  Status insert(std::uint64_t base, std::uint64_t offset);
  bool take_hit();

  pid_t pid_ = -1;
  std::unordered_map<std::uint64_t, Breakpoint> breakpoints_;  // by address
  std::vector<std::uint64_t> hits_;
};

}  // namespace ptxbatch
