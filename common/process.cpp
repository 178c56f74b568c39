#include "common/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

namespace ptxbatch {
namespace {

// What a child that cannot start tells its parent through a close-on-exec pipe.
struct StartFailure {
  int error_number;
  std::array<char, 32> call;
};

[[noreturn]] void report_and_exit(int pipe, const char* call) {
  StartFailure failure{errno, {}};
  ::strncpy(failure.call.data(), call, failure.call.size() - 1);
  const ssize_t written = ::write(pipe, &failure, sizeof failure);
  ::_exit(written == sizeof failure ? 127 : 126);
}

void set_limit(int pipe, int which, const std::optional<std::uint64_t>& value) {
  if (!value) return;
  const rlimit limit{*value, *value};
  if (::setrlimit(static_cast<__rlimit_resource_t>(which), &limit) != 0) {
    report_and_exit(pipe, "setrlimit");
  }
}

// Everything the child needs, made before fork: after it only async-signal-safe calls are allowed.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const ProcessSpec* spec;
  int output_pipe;
  int failure_pipe;
  pid_t parent;
  int highest_passed_fd;
};

// What batch systems, launchers and terminals send to every process of a job at once. It is for the
// parent to act on: a compiler that died of it would be taken for one that failed.
constexpr std::array kJobSignals = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

void set_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (const int signal : kJobSignals) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Passed descriptors may sit on numbers that others must land on, so all are moved out of the way
// first and put in place afterwards. Returns where the failure pipe is now.
int place_descriptors(const ChildPlan& plan) {
  const int base = plan.highest_passed_fd + 1;
  const int failure = ::fcntl(plan.failure_pipe, F_DUPFD_CLOEXEC, base);
  if (failure < 0) report_and_exit(plan.failure_pipe, "fcntl");
  const auto& passed = plan.spec->passed_fds;
  std::array<int, 64> moved{};
  for (std::size_t i = 0; i < passed.size(); ++i) {
    moved[i] = ::fcntl(passed[i].parent_fd, F_DUPFD_CLOEXEC, base);
    if (moved[i] < 0) report_and_exit(failure, "fcntl");
  }
  const int null_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_fd < 0 || ::dup2(null_fd, 0) < 0 || ::dup2(plan.output_pipe, 1) < 0 ||
      ::dup2(plan.output_pipe, 2) < 0) {
    report_and_exit(failure, "dup2");
  }
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (::dup2(moved[i], passed[i].child_fd) < 0) report_and_exit(failure, "dup2");
  }
  // Close-on-exec for everything else, whoever opened it: first all above 2, then the passed ones
  // get their flag cleared again.
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  for (const auto& fd : passed) ::fcntl(fd.child_fd, F_SETFD, 0);
  return failure;
}

[[noreturn]] void become(const ChildPlan& plan) {
  const ProcessSpec& spec = *plan.spec;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(126);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  set_signals();
  if (!spec.working_directory.empty() && ::chdir(spec.working_directory.c_str()) != 0) {
    report_and_exit(plan.failure_pipe, "chdir");
  }
  if (spec.cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(*spec.cpu), &set);
    ::sched_setaffinity(0, sizeof set, &set);
  }
  set_limit(plan.failure_pipe, RLIMIT_CORE, 0);
  set_limit(plan.failure_pipe, RLIMIT_CPU, spec.limits.cpu_s);
  set_limit(plan.failure_pipe, RLIMIT_AS, spec.limits.address_space_bytes);
  set_limit(plan.failure_pipe, RLIMIT_FSIZE, spec.limits.file_size_bytes);
  set_limit(plan.failure_pipe, RLIMIT_NOFILE, spec.limits.open_files);
  set_limit(plan.failure_pipe, RLIMIT_NPROC, spec.limits.processes);
  const int failure_pipe = place_descriptors(plan);
  ::execve(plan.argv[0], plan.argv.data(), plan.environment.data());
  report_and_exit(failure_pipe, "execve");
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const auto& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// Without a descriptor of it nobody could tell when it ends.
tl::unexpected<Error> unwatchable(pid_t child, int error_number) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  Error error = system_error("cannot watch a child process (pidfd_open)", error_number);
  error.hint = "Linux 5.3 is needed, and a container's seccomp profile that allows pidfd_open.";
  return fail(std::move(error));
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.passed_fds.size() > 64) {
    return fail(ErrorKind::kInternal, "a process needs a program and at most 64 descriptors");
  }
  std::array<int, 2> output{};
  std::array<int, 2> failure{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return fail(system_error("pipe", errno));
  UniqueFd output_read(output[0]);
  UniqueFd output_write(output[1]);
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return fail(system_error("pipe", errno));
  const UniqueFd failure_read(failure[0]);
  UniqueFd failure_write(failure[1]);

  ChildPlan plan{pointers(spec.argv),
                 pointers(spec.environment),
                 &spec,
                 output_write.get(),
                 failure_write.get(),
                 ::getpid(),
                 2};
  for (const auto& fd : spec.passed_fds) {
    plan.highest_passed_fd = std::max(plan.highest_passed_fd, fd.child_fd);
  }
  const pid_t pid = ::fork();
  if (pid < 0) return fail(system_error("fork", errno));
  if (pid == 0) become(plan);
  ::setpgid(pid, pid);
  output_write.reset();
  failure_write.reset();

  UniqueFd pid_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pid_fd.valid()) return unwatchable(pid, errno);
  ChildProcess child;
  child.pid_ = pid;
  child.pid_fd_ = std::move(pid_fd);
  child.output_cap_bytes_ = spec.output_cap_bytes;
  child.death_within_s_ = spec.death_within_s;
  child.when_unkillable_ = spec.when_unkillable;
  ::fcntl(output_read.get(), F_SETFL, O_NONBLOCK);
  child.output_fd_ = std::move(output_read);

  StartFailure report{};
  ssize_t count = 0;
  do {
    count = ::read(failure_read.get(), &report, sizeof report);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof report) {
    return fail(system_error("cannot start " + spec.argv[0] + " (" + report.call.data() + ")",
                             report.error_number));
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept {
  *this = std::move(other);
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  kill_group();
  reap();
  pid_ = std::exchange(other.pid_, -1);
  pid_fd_ = std::move(other.pid_fd_);
  output_fd_ = std::move(other.output_fd_);
  end_ = std::exchange(other.end_, std::nullopt);
  output_ = std::move(other.output_);
  output_bytes_ = other.output_bytes_;
  output_cap_bytes_ = other.output_cap_bytes_;
  death_within_s_ = other.death_within_s_;
  when_unkillable_ = std::move(other.when_unkillable_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill_group();
  reap();
}

void ChildProcess::kill_group() {
  if (pid_ > 0 && !end_) ::kill(-pid_, SIGKILL);
}

bool ChildProcess::wait_for_death() {
  const Deadline deadline = deadline_in(death_within_s_);
  pollfd ended{pid_fd_.get(), POLLIN, 0};
  while (true) {
    const int timeout_ms = poll_timeout_ms(deadline);
    const int count = ::poll(&ended, 1, timeout_ms);
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

// The group is killed while the child is still a zombie: its process group id cannot have been
// given to anybody else yet.
void ChildProcess::reap() {
  if (pid_ <= 0 || end_) return;
  if (!wait_for_death()) {
    end_ = ProcessEnd{ProcessEnd::Kind::kTimedOut, 0, SIGKILL, true};
    if (when_unkillable_) when_unkillable_();
    return;
  }
  int status = 0;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ProcessEnd end;
  if (WIFSIGNALED(status)) {
    end.kind = ProcessEnd::Kind::kSignaled;
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  end_ = end;
}

void ChildProcess::drain_output() {
  // A child that writes without end must not keep us here past a deadline: a pipe's worth a call.
  constexpr int kReadsPerCall = 4;
  std::array<char, 1U << 15U> buffer{};
  for (int i = 0; i < kReadsPerCall && output_fd_.valid(); ++i) {
    const ssize_t count = ::read(output_fd_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      output_fd_.reset();
      return;
    }
    output_bytes_ += static_cast<std::uint64_t>(count);
    const std::size_t room = output_cap_bytes_ - std::min(output_cap_bytes_, output_.size());
    output_.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  }
}

ChildProcess::Readable ChildProcess::wait_readable(int fd, Deadline deadline) {
  while (true) {
    std::array<pollfd, 3> fds{{{fd, POLLIN, 0},
                               {end_ ? -1 : pid_fd_.get(), POLLIN, 0},
                               {output_fd_.valid() ? output_fd_.get() : -1, POLLIN, 0}}};
    const int timeout_ms = poll_timeout_ms(deadline);
    const int count = ::poll(fds.data(), fds.size(), timeout_ms);
    if (count < 0 && errno != EINTR) return Readable::kChildEnded;
    if (fds[2].revents != 0) drain_output();
    if (fds[0].revents != 0) return Readable::kReady;
    if (end_ || fds[1].revents != 0) return Readable::kChildEnded;
    if (timeout_ms == 0) return Readable::kTimedOut;
  }
}

ProcessEnd ChildProcess::wait(Deadline deadline) {
  if (!end_) {
    const Readable state = wait_readable(-1, deadline);
    if (state == Readable::kTimedOut) {
      kill_group();
      reap();
      end_->kind = ProcessEnd::Kind::kTimedOut;
    } else {
      reap();
    }
    drain_output();
  }
  return *end_;
}

Result<ProcessOutput> run_process(const ProcessSpec& spec, double timeout_s) {
  const auto start = SteadyClock::now();
  auto child = ChildProcess::start(spec);
  if (!child) return fail(child.error());
  ProcessOutput result;
  result.end = child->wait(deadline_in(timeout_s));
  result.output = child->output();
  result.seconds = seconds_since(start);
  return result;
}

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return fail(system_error("cannot run " + name, errno));
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return fail(ErrorKind::kSystem, "the program '" + name + "' is not in PATH",
              "Install it, or give its absolute path.");
}

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool looks_secret(std::string_view name) {
  for (const std::string_view word : {"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> tool_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (starts_with_any(name, {"OMPI_", "PMIX_", "PMI_", "SLURM_", "ORTE_"})) continue;
    if (looks_secret(name)) continue;
    // A proxy's address may hold a password, and no tool needs the network.
    if (name.ends_with("_proxy") || name.ends_with("_PROXY")) continue;
    result.emplace_back(variable);
  }
  return result;
}

std::vector<std::string> scrubbed_environment(const std::string& scratch) {
  return {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + scratch,
          "TMPDIR=" + scratch};
}

namespace {

// Parents by process id, of all processes that can be seen.
std::map<pid_t, pid_t> parents_of_all() {
  std::map<pid_t, pid_t> parents;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    pid_t pid = 0;
    const std::string name = entry.path().filename().string();
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr !=
        name.data() + name.size()) {
      continue;
    }
    // "PID (NAME) STATE PARENT ..."; NAME may hold anything, so the last ')' ends it.
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    std::string state;
    pid_t parent = 0;
    if (rest >> state >> parent) parents[pid] = parent;
  }
  return parents;
}

bool is_below(const std::map<pid_t, pid_t>& parents, pid_t pid, pid_t ancestor) {
  for (auto found = parents.find(pid); found != parents.end() && found->first != found->second;
       found = parents.find(found->second)) {
    if (found->second == ancestor) return true;
  }
  return false;
}

}  // namespace

void kill_descendants() {
  const auto parents = parents_of_all();
  for (const auto& [pid, parent] : parents) {
    if (is_below(parents, pid, ::getpid())) ::kill(pid, SIGKILL);
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace ptxbatch
