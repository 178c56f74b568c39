// ptxbatch-tracer-host CHANNEL_FD RUNNER ARGUMENTS...: runs a runner under breakpoints for the
// evidence. The runner talks with the rank over its own channel; this program's channel sets
// breakpoints and reports hits. It ends as the runner ends: with its exit code or by its signal.
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ranks/profile/channel.h"
#include "ranks/profile/messages.h"
#include "ranks/profile/traced_process.h"

namespace ptxbatch {
namespace {

PeerMessage answer(TracedProcess& runner, const SetBreakpoints& request) {
  const Status set = runner.set_breakpoints(request.binary, request.addresses);
  if (!set) return Refused{request.nonce, set.error().what, set.error().hint};
  return Done{request.nonce};
}

PeerMessage answer(TracedProcess& runner, const ReportHits& request) {
  const auto& hits = runner.hits();
  const std::size_t first = std::min<std::size_t>(request.first, hits.size());
  const std::size_t count = std::min(hits.size() - first, kMaxAddressesPerMessage);
  const auto begin = hits.begin() + static_cast<std::ptrdiff_t>(first);
  return Hits{request.nonce,
              {begin, begin + static_cast<std::ptrdiff_t>(count)},
              first + count < hits.size()};
}

template <class Other>
PeerMessage answer(TracedProcess& /*runner*/, const Other& /*request*/) {
  return Refused{0, "a tracer does not answer such a message", ""};
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/// Handles what the runner did since the last look; does not return once it ended.
void look_after(TracedProcess& runner, int signal_fd) {
  signalfd_siginfo info{};
  while (::read(signal_fd, &info, sizeof info) > 0) {
  }
  int status = 0;
  while (::waitpid(runner.pid(), &status, WNOHANG) > 0) {
    if (const auto end = runner.handle(status)) end_like(*end);
  }
}

Status serve(Channel& channel, TracedProcess& runner, int signal_fd) {
  while (true) {
    std::array<pollfd, 2> fds{{{channel.fd(), POLLIN, 0}, {signal_fd, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) {
      return fail(system_error("poll", errno));
    }
    if (fds[1].revents != 0) look_after(runner, signal_fd);
    if (fds[0].revents == 0) continue;
    auto packet = channel.receive(kMaxMessageBytes, 0);
    if (!packet) return fail(packet.error());
    if (!*packet) return {};
    const auto request = decode((*packet)->bytes);
    if (!request) return fail(request.error());
    const PeerMessage reply =
        std::visit([&](const auto& message) { return answer(runner, message); }, *request);
    if (auto sent = channel.send(encode(reply)); !sent) return sent;
  }
}

Status trace(int channel_fd, const std::vector<std::string>& runner_command) {
  Channel channel{UniqueFd(channel_fd)};
  ::fcntl(channel_fd, F_SETFD, FD_CLOEXEC);  // the runner must not reach it
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  auto runner = TracedProcess::start(runner_command);
  if (!runner) return fail(runner.error());
  // Blocked only now, so that the runner does not inherit it.
  ::sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const UniqueFd signal_fd(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signal_fd.valid()) return fail(system_error("signalfd", errno));
  // The runner's end of its channel is the runner's alone, so that the rank sees it close.
  ::close(std::atoi(runner_command.at(1).c_str()));
  look_after(*runner, signal_fd.get());  // what it did before its signals were listened to
  return serve(channel, *runner, signal_fd.get());
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  const auto status =
      ptxbatch::trace(std::atoi(argv[1]), std::vector<std::string>(argv + 2, argv + argc));
  if (!status) std::fprintf(stderr, "%s\n", ptxbatch::describe(status.error()).c_str());
  return status ? 0 : 1;
}
