// Child processes, all started in one way: own process group, /dev/null as input, restored signals
// but deaf to those sent to a whole job, every descriptor closed but those passed on purpose, an
// environment given in full, limits, and death with the parent. Compilers, keepers, runners and
// gnuplot all come through here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "common/unique_fd.h"

namespace ptxbatch {

struct ResourceLimits {
  std::optional<std::uint64_t> cpu_s;
  std::optional<std::uint64_t> address_space_bytes;
  std::optional<std::uint64_t> file_size_bytes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t>
      processes;  // counted per user id, so of use only in a user of its own
};

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] is a path; no search
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::string working_directory;         // empty: the parent's
  struct PassedFd {
    int parent_fd;
    int child_fd;  // at least 3
  };
  std::vector<PassedFd> passed_fds;
  ResourceLimits limits;
  std::size_t output_cap_bytes = 1U << 20U;  // of stdout and stderr together; the rest is discarded
  std::optional<int> cpu;                    // pin to this core
  // How long it may take to be gone once it is killed. One that hangs in the kernel, on a device or
  // a file system that does not answer, is left to itself then, and this is called.
  double death_within_s = 10;
  std::function<void()> when_unkillable;
};

struct ProcessEnd {
  enum class Kind { kExited, kSignaled, kTimedOut };
  Kind kind = Kind::kExited;
  int exit_code = 0;        // for kExited
  int signal = 0;           // for kSignaled
  bool unkillable = false;  // it was killed and is still there: it hangs in the kernel
  [[nodiscard]] bool ok() const { return kind == Kind::kExited && exit_code == 0; }
};

/// A running child and its process group. The destructor kills the group and reaps the child; no
/// wait for a killed child is longer than `death_within_s`.
/// Death-with-the-parent is bound to the thread that called start(): that thread must outlive the
/// child. Not thread-safe.
class ChildProcess {
 public:
  static Result<ChildProcess> start(const ProcessSpec& spec);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Waits for the end of the child, draining its output. At the deadline the group is killed and
  /// kTimedOut returned. Whatever is left of the group is killed in any case.
  ProcessEnd wait(Deadline deadline);

  enum class Readable { kReady, kChildEnded, kTimedOut };
  /// Waits until `fd` is readable, draining the child's output meanwhile. kReady wins over
  /// kChildEnded, so that a last message is not lost.
  Readable wait_readable(int fd, Deadline deadline);

  /// SIGKILL to the whole group.
  void kill_group();

  /// stdout and stderr as read so far, cut at the cap; output_bytes() counts all of it.
  [[nodiscard]] const std::string& output() const { return output_; }
  [[nodiscard]] std::uint64_t output_bytes() const { return output_bytes_; }

 private:
  ChildProcess() = default;
  void drain_output();
  void reap();
  bool wait_for_death();

  pid_t pid_ = -1;
  UniqueFd pid_fd_;
  UniqueFd output_fd_;
  std::optional<ProcessEnd> end_;
  std::string output_;
  std::uint64_t output_bytes_ = 0;
  std::size_t output_cap_bytes_ = 0;
  double death_within_s_ = 0;
  std::function<void()> when_unkillable_;
};

struct ProcessOutput {
  ProcessEnd end;
  std::string output;  // stdout and stderr, cut at the cap
  double seconds = 0;
};

/// Starts, waits, returns: for compilers and other tools.
Result<ProcessOutput> run_process(const ProcessSpec& spec, double timeout_s);

/// The absolute path of a program: `name` itself when it holds a slash, else looked up in PATH.
Result<std::string> find_program(const std::string& name);

/// The parent's environment without MPI, PMIx and Slurm step variables and without anything that
/// looks like a secret (KEY, TOKEN, SECRET, PASSWORD in the name): for trusted tools.
std::vector<std::string> tool_environment();

/// PATH, LANG=C.UTF-8, HOME and TMPDIR at `scratch`: for everything that runs a candidate.
std::vector<std::string> scrubbed_environment(const std::string& scratch);

/// Kills every process below this one, compilers' own children too. For a process that ends in a
/// hurry: nothing of them is waited for.
void kill_descendants();

/// This machine's name, "unknown" when it has none.
std::string host_name();

}  // namespace ptxbatch
