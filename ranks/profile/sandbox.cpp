#include "ranks/profile/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "common/unique_fd.h"

namespace ptxbatch {
namespace {

// A runner started by root would otherwise keep root's powers over what Landlock does not cover.
Status drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) {
    return fail(system_error("cannot drop capabilities", errno));
  }
  return {};
}

// ---- files ----

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
constexpr std::uint64_t kWrite = kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t kFirstAbi = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;  // all of version 1

/// The rights that version `abi` of Landlock can withhold.
std::uint64_t handled_rights(long abi) {
  std::uint64_t rights = kFirstAbi;
  if (abi >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
  return rights;
}

Status allow_path(int ruleset, const std::string& path, std::uint64_t rights) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place.valid()) {
    if (errno == ENOENT) return {};  // nothing there to be allowed
    return fail(system_error("cannot open " + path, errno));
  }
  struct stat status {};
  if (::fstat(place.get(), &status) != 0) return fail(system_error("cannot stat " + path, errno));
  if (!S_ISDIR(status.st_mode)) rights &= kReadFile | kWriteFile;
  const landlock_path_beneath_attr rule{rights, place.get()};
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    return fail(system_error("cannot allow " + path, errno));
  }
  return {};
}

/// False when the kernel has no Landlock.
Result<bool> restrict_files(const SandboxPolicy& policy) {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return false;
  const std::uint64_t handled = handled_rights(abi);
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = handled;
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset.valid()) return fail(system_error("cannot make a Landlock ruleset", errno));
  for (const std::string& path : policy.readable) {
    if (auto allowed = allow_path(ruleset.get(), path, kRead & handled); !allowed) {
      return fail(allowed.error());
    }
  }
  for (const std::string& path : policy.writable) {
    if (auto allowed = allow_path(ruleset.get(), path, (kRead | kWrite) & handled); !allowed) {
      return fail(allowed.error());
    }
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return fail(system_error("cannot enter the Landlock sandbox", errno));
  }
  return true;
}

// ---- system calls ----

/// What computing, printing, allocating, loading libraries and the runner's channel need. Absent on
/// purpose: anything that starts a process or a thread, reaches another process or the network,
/// makes a signal come later, changes limits, groups, affinity or mounts.
constexpr std::initializer_list<int> kAllowed = {
    // memory
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap),
    SCMP_SYS(madvise), SCMP_SYS(msync), SCMP_SYS(membarrier),
    // files
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(read),
    SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
    SCMP_SYS(lseek), SCMP_SYS(stat), SCMP_SYS(fstat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
    SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
    SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64), SCMP_SYS(getcwd),
    SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(ftruncate),
    SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3),
    SCMP_SYS(pipe), SCMP_SYS(pipe2),
    // the runner's channel; there is no other socket and none can be made
    SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
    // waiting
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(futex), SCMP_SYS(restart_syscall), SCMP_SYS(sched_yield),
    // clocks and facts about the process and the machine
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(getcpu), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrlimit),
    SCMP_SYS(getrandom),
    // its own signals; arch_prctl asks for AMX
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(sigaltstack), SCMP_SYS(arch_prctl),
    // the end
    SCMP_SYS(exit), SCMP_SYS(exit_group)};

using FilterHandle = std::unique_ptr<void, decltype(&seccomp_release)>;

class Filter {
 public:
  Filter() : handle_(seccomp_init(SCMP_ACT_ERRNO(EPERM)), &seccomp_release) {}

  void allow(int call) { keep(seccomp_rule_add(handle_.get(), SCMP_ACT_ALLOW, call, 0)); }
  void allow_when(int call, const scmp_arg_cmp& condition) {
    keep(seccomp_rule_add_array(handle_.get(), SCMP_ACT_ALLOW, call, 1, &condition));
  }
  void refuse(int call, int error_number) {
    keep(seccomp_rule_add(handle_.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error_number)),
                          call, 0));
  }
  /// 0, or a negative errno.
  int load() {
    if (handle_ == nullptr) return -ENOMEM;
    return failure_ != 0 ? failure_ : seccomp_load(handle_.get());
  }

 private:
  void keep(int result) {
    if (result < 0 && failure_ == 0) failure_ = result;
  }
  FilterHandle handle_;
  int failure_ = 0;
};

/// False when the kernel has no seccomp filters.
Result<bool> restrict_system_calls(const SandboxPolicy& policy) {
  if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) return false;
  Filter filter;
  for (const int call : kAllowed) filter.allow(call);
  for (const int call : policy.system_calls) filter.allow(call);
  // abort() and raise() signal this very process.
  const auto self = static_cast<scmp_datum_t>(::getpid());
  filter.allow_when(SCMP_SYS(kill), SCMP_A0(SCMP_CMP_EQ, self));
  filter.allow_when(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, self));
  // Reading limits; a new limit (argument 2) would be refused by the kernel's own rules at most.
  filter.allow_when(SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0));
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC}) {
    filter.allow_when(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
  }
  if (policy.under_profiler) {
    for (const int command : {F_SETLK, F_SETLKW}) {
      filter.allow_when(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
    }
    filter.refuse(SCMP_SYS(chmod), 0);
    filter.allow_when(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    filter.allow(SCMP_SYS(rseq));
    filter.allow(SCMP_SYS(set_robust_list));
  }
  filter.refuse(SCMP_SYS(clone3), ENOSYS);  // so that the C library falls back on clone
  if (const int result = filter.load(); result < 0) {
    return fail(system_error("cannot set up the system-call filter", -result));
  }
  return true;
}

}  // namespace

Result<std::string> enter_sandbox(const SandboxPolicy& policy) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(system_error("cannot give up new privileges", errno));
  }
  if (auto dropped = drop_capabilities(); !dropped) return fail(dropped.error());
  std::string lacking;
  const auto files = restrict_files(policy);
  if (!files) return fail(files.error());
  if (!*files) lacking = "this kernel has no Landlock: candidates can read this user's files";
  const auto calls = restrict_system_calls(policy);
  if (!calls) return fail(calls.error());
  if (!*calls) {
    lacking += (lacking.empty() ? "" : "; ");
    lacking += "this kernel has no seccomp: candidates can start processes and use the network";
  }
  return lacking;
}

}  // namespace ptxbatch
