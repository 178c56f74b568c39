// Child processes: what they may see, how they end, and that nothing of them stays behind.
#include "common/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/unkillable.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.environment = {"PATH=/usr/bin:/bin"};
  return spec;
}

TEST(Process, ReturnsExitCodeAndBothOutputs) {
  const auto result = run_process(shell("echo out; echo err >&2; exit 3"), 10);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->end.kind, ProcessEnd::Kind::kExited);
  EXPECT_EQ(result->end.exit_code, 3);
  EXPECT_THAT(result->output, HasSubstr("out\n"));
  EXPECT_THAT(result->output, HasSubstr("err\n"));
}

TEST(Process, ReportsTheSignalThatEndedIt) {
  const auto result = run_process(shell("kill -SEGV $$"), 10);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end.kind, ProcessEnd::Kind::kSignaled);
  EXPECT_EQ(result->end.signal, SIGSEGV);
}

TEST(Process, DoesNotHearTheSignalsOfAWholeJob) {
  const auto result =
      run_process(shell("for s in HUP INT TERM USR1 USR2; do kill -$s $$; done; exit 7"), 10);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end.kind, ProcessEnd::Kind::kExited);
  EXPECT_EQ(result->end.exit_code, 7);
}

TEST(Process, IsKilledAtItsDeadline) {
  const auto result = run_process(shell("while :; do :; done"), 0.2);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end.kind, ProcessEnd::Kind::kTimedOut);
}

TEST(Process, OneThatHangsInTheKernelIsNotWaitedFor) {
  ProcessSpec spec = shell("echo ready; while :; do :; done");
  spec.death_within_s = 0.3;
  bool told = false;
  spec.when_unkillable = [&] { told = true; };
  auto child = ChildProcess::start(spec);
  ASSERT_TRUE(child) << describe(child.error());
  const Unkillable held(child->pid());
  const ProcessEnd end = child->wait(deadline_in(0.2));
  EXPECT_TRUE(end.unkillable);
  EXPECT_FALSE(end.ok());
  EXPECT_TRUE(told);
}

TEST(Process, ItsDescendantsCanBeKilledAtOnce) {
  // A shell below a shell, which is in nobody's process group by now.
  auto child = ChildProcess::start(shell("setsid sh -c 'echo $$; exec sleep 600' & wait"));
  ASSERT_TRUE(child) << describe(child.error());
  while (child->output().empty()) child->wait_readable(-1, deadline_in(0.01));
  const pid_t grandchild = std::stoi(child->output());
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, grandchild, 0)));
  ASSERT_TRUE(handle.valid());
  kill_descendants();
  pollfd ended{handle.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 60000), 1);
  EXPECT_EQ(child->wait(deadline_in(60)).signal, SIGKILL);
}

TEST(Process, MissingProgramIsAnErrorThatNamesIt) {
  ProcessSpec spec;
  spec.argv = {"/nonexistent/compiler"};
  const auto result = run_process(spec, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(result.error().what, HasSubstr("/nonexistent/compiler"));
}

TEST(Process, SeesOnlyTheEnvironmentItIsGiven) {
  ::setenv("SECRET_API_KEY", "do-not-leak", 1);
  const auto result = run_process(shell("env"), 10);
  ::unsetenv("SECRET_API_KEY");
  ASSERT_TRUE(result);
  EXPECT_THAT(result->output, testing::Not(HasSubstr("do-not-leak")));
}

TEST(Process, ToolEnvironmentHoldsNeitherSecretsNorLauncherVariables) {
  ::setenv("EXAMPLE_API_KEY", "do-not-leak", 1);
  ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  const auto environment = tool_environment();
  ::unsetenv("EXAMPLE_API_KEY");
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  EXPECT_THAT(environment, testing::Contains(testing::StartsWith("PATH=")));
  EXPECT_THAT(environment, testing::Each(testing::Not(HasSubstr("do-not-leak"))));
  EXPECT_THAT(environment, testing::Each(testing::Not(testing::StartsWith("OMPI_"))));
}

TEST(Process, InheritsNoDescriptorButThosePassed) {
  const UniqueFd leaked(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC, on purpose
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd ours(pair[0]);
  const UniqueFd theirs(pair[1]);
  ProcessSpec spec = shell("ls /proc/$$/fd");
  spec.passed_fds = {{theirs.get(), 3}};
  const auto result = run_process(spec, 10);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "0\n1\n2\n3\n");
}

TEST(Process, PassedDescriptorsMayLandOnEachOthersNumbers) {
  std::array<int, 2> first{};
  std::array<int, 2> second{};
  ASSERT_EQ(::pipe2(first.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(second.data(), O_CLOEXEC), 0);
  const std::array<UniqueFd, 4> owned{UniqueFd(first[0]), UniqueFd(first[1]), UniqueFd(second[0]),
                                      UniqueFd(second[1])};
  ProcessSpec spec =
      shell("printf a >&" + std::to_string(second[1]) + "; printf b >&" + std::to_string(first[1]));
  spec.passed_fds = {{first[1], second[1]}, {second[1], first[1]}};
  ASSERT_TRUE(run_process(spec, 10));
  char to_first = 0;
  char to_second = 0;
  ASSERT_EQ(::read(first[0], &to_first, 1), 1);
  ASSERT_EQ(::read(second[0], &to_second, 1), 1);
  EXPECT_EQ(to_first, 'a');
  EXPECT_EQ(to_second, 'b');
}

TEST(Process, EndlessOutputNeitherBlocksItNorFillsMemory) {
  ProcessSpec spec = shell("head -c 20000000 /dev/zero");
  spec.output_cap_bytes = 1000;
  auto child = ChildProcess::start(spec);
  ASSERT_TRUE(child);
  const ProcessEnd end = child->wait(deadline_in(30));
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(child->output().size(), 1000U);
  EXPECT_EQ(child->output_bytes(), 20000000U);
}

// The grandchild's pid comes out on stdout; the group must be gone once wait() has returned.
TEST(Process, ItsChildrenEndWithIt) {
  const auto result = run_process(shell("sleep 1000 & echo $!"), 10);
  ASSERT_TRUE(result);
  const pid_t grandchild = std::stoi(result->output);
  ASSERT_GT(grandchild, 0);
  // SIGKILL is delivered; init reaps. Wait on the process's end itself.
  const UniqueFd handle(static_cast<int>(::syscall(434 /* pidfd_open */, grandchild, 0)));
  if (handle.valid()) {
    ChildProcess::Readable state = ChildProcess::Readable::kReady;
    auto waiter = ChildProcess::start(shell("exec sleep 1000"));
    ASSERT_TRUE(waiter);
    state = waiter->wait_readable(handle.get(), deadline_in(10));
    EXPECT_EQ(state, ChildProcess::Readable::kReady);
  }
}

TEST(Process, WaitReadablePrefersALastMessageToTheEnd) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd ours(pair[0]);
  UniqueFd theirs(pair[1]);
  ProcessSpec spec = shell("printf last >&3");
  spec.passed_fds = {{theirs.get(), 3}};
  auto child = ChildProcess::start(spec);
  ASSERT_TRUE(child);
  theirs.reset();
  EXPECT_EQ(child->wait_readable(ours.get(), deadline_in(10)), ChildProcess::Readable::kReady);
  std::array<char, 16> text{};
  EXPECT_EQ(::recv(ours.get(), text.data(), text.size(), 0), 4);
}

TEST(Process, FileSizeLimitHolds) {
  const std::string path = testing::TempDir() + "/limited_file";
  ProcessSpec spec = shell("exec head -c 1000000 /dev/zero > " + path);
  spec.limits.file_size_bytes = 4096;
  const auto result = run_process(spec, 10);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->end.ok());
}

// In this process, from here on.
void refuse_pidfd_open() {
  std::array<sock_filter, 4> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{filter.size(), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(ProcessDeathTest, WhereAChildCannotBeWatchedThatIsSaid) {
  const auto start = [] {
    refuse_pidfd_open();
    const auto child = ChildProcess::start(shell("sleep 1000"));
    std::fprintf(stderr, "%s\n", child ? "started" : describe(child.error()).c_str());
    std::exit(child ? 1 : 0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "pidfd_open.*Function not implemented");
}

TEST(FindProgram, LooksInPathAndSaysWhatIsMissing) {
  EXPECT_TRUE(find_program("sh"));
  const auto missing = find_program("no-such-program-here");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("no-such-program-here"));
}

}  // namespace
}  // namespace ptxbatch
