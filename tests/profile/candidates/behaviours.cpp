// Candidates of all kinds, each a function here and a shared object of its own: compiled with
// -DBEHAVIOUR=name. An "attempt" that must be refused traps when it succeeds, and otherwise goes on
// to compute the right result.
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "gemm.h"

extern char** environ;

namespace {

void must_be_refused(bool succeeded) {
  if (succeeded) __builtin_trap();
}
void must_work(bool succeeded) {
  if (!succeeded) __builtin_trap();
}
int calls = 0;  // of run, in this process

// ---- numbers ----

[[maybe_unused]] void correct(const Gemm& g) {
  g.compute();
}
[[maybe_unused]] void wrong_last_tile(const Gemm& g) {
  g.compute();
  for (std::int64_t j = g.n - 8; j < g.n; ++j) g.c[(g.m - 1) * g.n + j] += 1;
}
[[maybe_unused]] void not_a_number(const Gemm& g) {
  g.compute();
  g.c[5] = __builtin_nanf("");
}
[[maybe_unused]] void forgets_an_element(const Gemm& g) {
  for (std::int64_t i = 1; i < g.m * g.n; ++i) g.c[i] = g.element(i / g.n, i % g.n);
}
[[maybe_unused]] void adds_to_uninitialised_output(const Gemm& g) {
  for (std::int64_t i = 0; i < g.m * g.n; ++i) g.c[i] += g.element(i / g.n, i % g.n);
}
[[maybe_unused]] void does_nothing(const Gemm& /*g*/) {}
[[maybe_unused]] void right_in_the_first_call_only(const Gemm& g) {
  if (++calls == 1) g.compute();
}
[[maybe_unused]] void wrong_in_every_fifth_call(const Gemm& g) {
  g.compute();
  if (++calls % 5 == 0) g.c[0] += 1;
}
// Right in the warm-ups and in the timed calls, where it gives back what it computed before; seen
// only because the inputs are changed behind its back.
[[maybe_unused]] void keeps_its_results(const Gemm& g) {
  static std::vector<float> kept;
  if (++calls <= 3 || kept.empty()) {  // two calls for correctness, one to warm up
    g.compute();
    kept.assign(g.c, g.c + g.m * g.n);
  }
  std::memcpy(g.c, kept.data(), kept.size() * sizeof(float));
}
[[maybe_unused]] void prints_that_it_passed(const Gemm& g) {
  g.compute();
  g.c[0] += 1;
  std::puts("PASSED");
  std::puts("{\"status\": \"PASSED\", \"speedup\": 100.0}");
  std::fflush(stdout);
}

// ---- memory ----

[[maybe_unused]] void dereferences_null(const Gemm& /*g*/) {
  volatile float* volatile nowhere = nullptr;  // or the compiler concludes what it likes
  *nowhere = 1;
}
[[maybe_unused]] void stores_misaligned(const Gemm& g) {
  asm volatile("movaps %%xmm0, (%0)" : : "r"(g.c + 1) : "memory");
}
[[maybe_unused]] void writes_to_a_non_canonical_address(const Gemm& /*g*/) {
  *reinterpret_cast<volatile float*>(std::uintptr_t{1} << 62U) = 1;
}
[[maybe_unused]] void sends_itself_a_segmentation_fault(const Gemm& /*g*/) {
  kill(getpid(), SIGSEGV);
}
[[maybe_unused]] void writes_past_the_output(const Gemm& g) {
  g.compute();
  static_cast<volatile float*>(g.c)[g.m * g.n] = 1;
}
[[maybe_unused]] void writes_before_the_output(const Gemm& g) {
  g.compute();
  static_cast<volatile float*>(g.c)[-1] = 1;
}
[[maybe_unused]] void writes_far_before_the_output(const Gemm& g) {
  g.compute();
  static_cast<volatile float*>(g.c)[-2500] = 1;
}
[[maybe_unused]] void reads_past_an_input(const Gemm& g) {
  g.compute();
  g.c[0] += static_cast<const volatile float*>(g.a)[g.m * g.k];
}
[[maybe_unused]] void writes_into_an_input(const Gemm& g) {
  g.compute();
  const_cast<volatile float*>(g.b)[3] = 1;
}
[[maybe_unused]] void attempts_to_unprotect_an_input(const Gemm& g) {
  const auto page = reinterpret_cast<std::uintptr_t>(g.a) & ~std::uintptr_t{4095};
  must_be_refused(mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE) == 0);
  must_be_refused(madvise(reinterpret_cast<void*>(page), 4096, MADV_REMOVE) == 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_write_through_proc(const Gemm& g) {
  must_be_refused(open("/proc/self/mem", O_RDWR) >= 0);
  must_be_refused(open("/proc/self/environ", O_RDONLY) >= 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_use_all_memory(const Gemm& g) {
  std::uint64_t got = 0;
  constexpr std::uint64_t kStep = 1ULL << 28U;
  while (got < (64ULL << 30U) && std::malloc(kStep) != nullptr) got += kStep;
  must_be_refused(got >= (64ULL << 30U));
  g.compute();
}
[[maybe_unused]] int recurse(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above != nullptr ? above[0] : 1;
  return recurse(frame) + frame[0];
}
[[maybe_unused]] void overflows_the_stack(const Gemm& g) {
  volatile char seed = 1;
  g.c[0] = static_cast<float>(recurse(&seed));
}

// ---- ends ----

[[maybe_unused]] void exits(const Gemm& /*g*/) {
  std::exit(0);
}
[[maybe_unused]] void exits_at_once(const Gemm& /*g*/) {
  _exit(7);
}
[[maybe_unused]] void aborts(const Gemm& /*g*/) {
  std::abort();
}
[[maybe_unused]] void traps(const Gemm& /*g*/) {
  __builtin_trap();
}
[[maybe_unused]] void divides_by_zero(const Gemm& g) {
  volatile int one = 1;
  volatile int zero = 0;
  g.c[0] = static_cast<float>(one / zero);
}
[[maybe_unused]] void kills_itself(const Gemm& /*g*/) {
  kill(getpid(), SIGKILL);
}
[[maybe_unused]] void never_returns(const Gemm& /*g*/) {
  volatile bool endless = true;
  while (endless) {
  }
}
[[maybe_unused]] void never_returns_in_a_later_call(const Gemm& g) {
  if (++calls > 4) never_returns(g);
  g.compute();
}
[[maybe_unused]] void ignores_signals_and_never_returns(const Gemm& g) {
  for (int signal = 1; signal < 65; ++signal) std::signal(signal, SIG_IGN);
  never_returns(g);
}

// ---- noise ----

[[maybe_unused]] void prints_100_megabytes(const Gemm& g) {
  g.compute();
  if (++calls > 1) return;
  const std::string line(1U << 16U, 'x');
  for (int i = 0; i < 1600; ++i) must_work(write(1, line.data(), line.size()) > 0);
}
[[maybe_unused]] void sleeps_for_five_milliseconds(const Gemm& g) {
  const timespec time{0, 5'000'000};
  nanosleep(&time, nullptr);
  g.compute();
}

// ---- messages ----

[[maybe_unused]] void send_everywhere(const void* bytes, std::size_t size) {
  for (int fd = 3; fd < 256; ++fd) {
    iovec data{const_cast<void*>(bytes), size};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}
[[maybe_unused]] void sends_rubbish(const Gemm& g) {
  g.compute();
  send_everywhere("correct correct correct", 23);
}
[[maybe_unused]] void sends_deep_nesting(const Gemm& g) {
  g.compute();
  const std::string nested(60000, '\x81');
  send_everywhere(nested.data(), nested.size());
}
[[maybe_unused]] void sends_endless_strings(const Gemm& g) {
  g.compute();
  const std::string nested(60000, '\x7f');
  send_everywhere(nested.data(), nested.size());
}
[[maybe_unused]] void sends_an_empty_message(const Gemm& g) {
  g.compute();
  send_everywhere("", 0);
}
[[maybe_unused]] void sends_a_huge_message(const Gemm& g) {
  g.compute();
  const std::string huge(150000, 'x');
  send_everywhere(huge.data(), huge.size());
}
[[maybe_unused]] void closes_every_descriptor(const Gemm& g) {
  g.compute();
  for (int fd = 0; fd < 256; ++fd) close(fd);
  never_returns(g);
}
[[maybe_unused]] void sends_a_descriptor(const Gemm& g) {
  g.compute();
  char byte = 'x';
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  const int out = 1;
  std::memcpy(CMSG_DATA(part), &out, sizeof out);
  for (int fd = 3; fd < 256; ++fd) sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// ---- escapes ----

[[maybe_unused]] void attempts_to_fork(const Gemm& g) {
  for (int i = 0; i < 1000; ++i) must_be_refused(fork() >= 0);
  must_be_refused(vfork() >= 0);
  g.compute();
}
[[maybe_unused]] void* write_later(void* output) {
  for (;;) *static_cast<volatile float*>(output) = 0;
}
[[maybe_unused]] void attempts_to_work_on_in_a_thread(const Gemm& g) {
  pthread_t thread;
  must_be_refused(pthread_create(&thread, nullptr, write_later, g.c) == 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_use_the_network(const Gemm& g) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    must_be_refused(socket(family, SOCK_STREAM, 0) >= 0);
    must_be_refused(socket(family, SOCK_DGRAM, 0) >= 0);
  }
  g.compute();
}
[[maybe_unused]] void attempts_to_read_files(const Gemm& g) {
  for (const char* path : {"/etc/passwd", "/proc/1/environ", "/proc/self/maps", "/root", "/home",
                           "/", "/tmp", "/dev/shm", "/sys/class"}) {
    must_be_refused(open(path, O_RDONLY) >= 0);
    must_be_refused(opendir(path) != nullptr);
  }
  const std::string parent = "/proc/" + std::to_string(getppid()) + "/environ";
  must_be_refused(open(parent.c_str(), O_RDONLY) >= 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_write_files(const Gemm& g) {
  const std::string scratch = std::getenv("TMPDIR");
  must_work(open((scratch + "/mine").c_str(), O_CREAT | O_RDWR, 0600) >= 0);
  for (const std::string& folder :
       {std::string("/tmp"), std::string("/dev/shm"), scratch + "/..", std::string("/usr/lib")}) {
    must_be_refused(open((folder + "/not-mine").c_str(), O_CREAT | O_RDWR, 0600) >= 0);
    must_be_refused(mkdir((folder + "/not-mine").c_str(), 0700) == 0);
  }
  must_be_refused(symlink("/etc/passwd", (scratch + "/link").c_str()) == 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_find_secrets(const Gemm& g) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable(*entry);
    const std::string name = variable.substr(0, variable.find('='));
    must_be_refused(name != "PATH" && name != "LANG" && name != "HOME" && name != "TMPDIR");
  }
  g.compute();
}
[[maybe_unused]] void attempts_to_reach_other_processes(const Gemm& g) {
  const pid_t parent = getppid();
  must_be_refused(kill(parent, 0) == 0);
  must_be_refused(kill(0, SIGTERM) == 0);
  must_be_refused(kill(-1, SIGTERM) == 0);
  must_be_refused(ptrace(PTRACE_ATTACH, parent, nullptr, nullptr) == 0);
  char byte = 0;
  const iovec here{&byte, 1};
  const iovec there{reinterpret_cast<void*>(0x400000), 1};
  must_be_refused(process_vm_readv(parent, &here, 1, &there, 1, 0) >= 0 || errno != EPERM);
  must_be_refused(syscall(SYS_pidfd_open, parent, 0) >= 0);
  must_be_refused(setsid() >= 0 || setpgid(0, 0) == 0);
  must_be_refused(fcntl(1, F_SETOWN, parent) == 0);
  g.compute();
}
[[maybe_unused]] void attempts_to_leave_the_sandbox(const Gemm& g) {
  char* const arguments[] = {const_cast<char*>("/bin/true"), nullptr};
  must_be_refused(execve(arguments[0], arguments, arguments + 1) == 0 || errno != EPERM);
  must_be_refused(prctl(PR_SET_PDEATHSIG, 0) == 0);
  must_be_refused(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  io_uring_params parameters{};
  must_be_refused(syscall(SYS_io_uring_setup, 4, &parameters) >= 0);
  must_be_refused(syscall(SYS_bpf, 0, nullptr, 0) >= 0 || errno != EPERM);
  must_be_refused(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0) >= 0 || errno != EPERM);
  must_be_refused(syscall(SYS_userfaultfd, 0) >= 0);
  must_be_refused(syscall(SYS_memfd_create, "x", 0) >= 0);
  must_be_refused(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
  must_be_refused(unshare(CLONE_NEWUSER) == 0);
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  must_be_refused(sched_setaffinity(0, sizeof all, &all) == 0);
  g.compute();
}

// ---- clocks ----

// Makes the C library's clock stand still: its code in this process is the candidate's to change.
[[maybe_unused]] void stops_the_clock(const Gemm& g) {
  static bool stopped = false;
  if (!stopped) {
    // mov qword [rsi], 1; mov qword [rsi+8], 0; xor eax, eax; ret
    const unsigned char code[] = {0x48, 0xC7, 0x06, 0x01, 0x00, 0x00, 0x00, 0x48, 0xC7,
                                  0x46, 0x08, 0x00, 0x00, 0x00, 0x00, 0x31, 0xC0, 0xC3};
    auto* clock = reinterpret_cast<unsigned char*>(&clock_gettime);
    const auto page = reinterpret_cast<std::uintptr_t>(clock) & ~std::uintptr_t{4095};
    must_work(mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) ==
              0);
    std::memcpy(clock, code, sizeof code);
    stopped = true;
  }
  const timespec time{0, 30'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
  g.compute();
}

}  // namespace

CANDIDATE_EXPORT int __tvm_ffi_run(RUN_ARGUMENTS) {
  BEHAVIOUR(Gemm(arguments));
  return 0;
}

// The runner must not take its clock from its candidate.
#ifdef EXPORTS_A_CLOCK
CANDIDATE_EXPORT int clock_gettime(clockid_t, timespec* time) noexcept {
  *time = {1, 0};
  return 0;
}
#endif
