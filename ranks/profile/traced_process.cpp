#include "ranks/profile/traced_process.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ptxbatch {
namespace {

constexpr long kInt3 = 0xCC;

// ptrace's first argument is an enumeration in glibc; its address arguments are void pointers.
long trace(__ptrace_request request, pid_t pid, std::uint64_t address = 0, long data = 0) {
  errno = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of another process, never followed here
  return ::ptrace(request, pid, reinterpret_cast<void*>(address), reinterpret_cast<void*>(data));
}

[[noreturn]] void become_runner(char* const* argv, pid_t tracer) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != tracer) ::_exit(126);
  ::raise(SIGSTOP);  // until the tracer is attached
  ::execv(argv[0], argv);
  ::_exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string real_path(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  return ::realpath(path.c_str(), buffer.data()) != nullptr ? buffer.data() : path;
}

/// The address at which the file's first byte is mapped: a shared object's offsets count from it.
Result<std::uint64_t> load_address(pid_t pid, const std::string& binary) {
  const std::string wanted = real_path(binary);
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::string range;
    std::string permissions;
    std::string device;
    std::uint64_t offset = 0;
    std::uint64_t inode = 0;
    fields >> range >> permissions >> std::hex >> offset >> device >> std::dec >> inode >> std::ws;
    std::string path;
    std::getline(fields, path);
    if (path == wanted && offset == 0) return std::strtoull(range.c_str(), nullptr, 16);
  }
  return fail(ErrorKind::kInternal, "the candidate is not mapped in its runner");
}

}  // namespace

Result<TracedProcess> TracedProcess::start(const std::vector<std::string>& argv) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t tracer = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail(system_error("fork", errno));
  if (pid == 0) become_runner(arguments.data(), tracer);
  int status = 0;
  while (::waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (trace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) != 0) {
    const int error_number = errno;
    ::kill(pid, SIGKILL);
    wait_for(pid);
    return fail(system_error("cannot trace the runner", error_number,
                             "The kernel must allow a process to trace its children."));
  }
  ::kill(pid, SIGCONT);
  return TracedProcess(pid);
}

Status TracedProcess::stop() {
  if (trace(PTRACE_INTERRUPT, pid_) != 0) return fail(system_error("PTRACE_INTERRUPT", errno));
  while (true) {
    const int status = wait_for(pid_);
    if (!WIFSTOPPED(status)) return fail(ErrorKind::kSystem, "the runner ended");
    if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP) return {};
    handle(status);
  }
}

Status TracedProcess::set_breakpoints(const std::string& binary,
                                      const std::vector<std::uint64_t>& offsets) {
  if (auto stopped = stop(); !stopped) return stopped;
  const auto base = load_address(pid_, binary);
  if (!base) return fail(base.error());
  for (const std::uint64_t offset : offsets) {
    if (auto inserted = insert(*base, offset); !inserted) return inserted;
  }
  if (trace(PTRACE_CONT, pid_) != 0) return fail(system_error("PTRACE_CONT", errno));
  return {};
}

Status TracedProcess::insert(std::uint64_t base, std::uint64_t offset) {
  const std::uint64_t address = base + offset;
  if (breakpoints_.contains(address)) return {};
  const long word = trace(PTRACE_PEEKTEXT, pid_, address);
  if (errno != 0) return fail(system_error("cannot read a scanned instruction", errno));
  if (trace(PTRACE_POKETEXT, pid_, address, (word & ~0xFFL) | kInt3) != 0) {
    return fail(system_error("cannot set a breakpoint", errno));
  }
  breakpoints_.emplace(address, Breakpoint{offset, word & 0xFFL});
  return {};
}

/// True when the process stands behind one of our breakpoints; it is then ready to go on.
bool TracedProcess::take_hit() {
  user_regs_struct registers{};
  if (trace(PTRACE_GETREGS, pid_, 0, reinterpret_cast<long>(&registers)) != 0) return false;
  const std::uint64_t address = registers.rip - 1;
  const auto found = breakpoints_.find(address);
  if (found == breakpoints_.end()) return false;
  const long word = trace(PTRACE_PEEKTEXT, pid_, address);
  if (errno != 0) return false;
  if (trace(PTRACE_POKETEXT, pid_, address, (word & ~0xFFL) | found->second.original) != 0) {
    return false;
  }
  registers.rip = address;
  if (trace(PTRACE_SETREGS, pid_, 0, reinterpret_cast<long>(&registers)) != 0) return false;
  hits_.push_back(found->second.offset);
  breakpoints_.erase(found);
  return true;
}

std::optional<int> TracedProcess::handle(int status) {
  if (!WIFSTOPPED(status)) return status;
  const int signal = WSTOPSIG(status);
  // Stops that ptrace itself makes carry an event; any other signal goes on to the process.
  const bool event = status >> 16 != 0;
  const bool ours = event || (signal == SIGTRAP && take_hit());
  trace(PTRACE_CONT, pid_, 0, ours ? 0 : signal);
  return std::nullopt;
}

}  // namespace ptxbatch
