#include "ranks/profile/peer.h"

#include <sys/random.h>

#include <csignal>
#include <cstring>
#include <random>

namespace ptxbatch {
namespace {

// How long a process whose channel is closed may take to be gone: it is dying already, or it closed
// the channel on purpose.
constexpr double kEndGraceS = 5;
constexpr std::size_t kMaxFds = 250;

}  // namespace

std::uint64_t fresh_nonce() {
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof nonce, 0) == sizeof nonce) return nonce;
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

Result<Peer> Peer::start(ProcessSpec spec) {
  auto ends = Channel::make_pair();
  if (!ends) return fail(ends.error());
  spec.passed_fds.push_back({ends->second.fd(), kChannelFd});
  auto child = ChildProcess::start(spec);
  if (!child) return fail(child.error());
  return Peer(std::make_shared<ChildProcess>(std::move(*child)), std::move(ends->first));
}

PeerResult<Peer::Received> Peer::receive(Deadline deadline) {
  while (true) {
    const auto state = child_->wait_readable(channel_.fd(), deadline);
    if (state == ChildProcess::Readable::kTimedOut) return tl::unexpected(timed_out());
    if (state == ChildProcess::Readable::kChildEnded) return tl::unexpected(lost());
    auto packet = channel_.receive(kMaxMessageBytes, kMaxFds);
    if (!packet) return tl::unexpected(tampered(packet.error().what));
    if (!*packet) return tl::unexpected(lost());
    auto message = decode((*packet)->bytes);
    if (!message) return tl::unexpected(tampered(message.error().what));
    const auto* note = std::get_if<FaultNote>(&*message);
    if (note == nullptr) return Received{std::move(*message), std::move((*packet)->fds)};
    // A dying process says it once.
    if (!fault_place_.empty()) return tl::unexpected(tampered("it reported two faults"));
    fault_place_ = note->place.empty() ? "an unnamed place" : note->place;
  }
}

bool Peer::alive() const {
  return child_->wait_readable(-1, SteadyClock::now()) != ChildProcess::Readable::kChildEnded;
}

PeerFailure Peer::lost() {
  const ProcessEnd end = child_->wait(deadline_in(kEndGraceS));
  if (end.kind == ProcessEnd::Kind::kTimedOut) return tampered("it closed its channel");
  return {PeerFailure::Kind::kEnded, end, "the process " + describe_end(end), ""};
}

PeerFailure Peer::timed_out() {
  child_->kill_group();
  child_->wait(deadline_in(kEndGraceS));
  return {
      PeerFailure::Kind::kTimedOut, {ProcessEnd::Kind::kTimedOut, 0, 0}, "no answer in time", ""};
}

PeerFailure Peer::tampered(const std::string& what) {
  child_->kill_group();
  child_->wait(deadline_in(kEndGraceS));
  return {PeerFailure::Kind::kTampered, {ProcessEnd::Kind::kSignaled, 0, SIGKILL}, what, ""};
}

PeerFailure Peer::refusal(Refused refused) {
  return {PeerFailure::Kind::kRefused, {}, std::move(refused.what), std::move(refused.hint)};
}

std::string describe_end(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::kExited:
      return "exited with code " + std::to_string(end.exit_code);
    case ProcessEnd::Kind::kSignaled:
      return "was killed by signal " + std::to_string(end.signal) + " (" + ::strsignal(end.signal) +
             ")";
    case ProcessEnd::Kind::kTimedOut:
      return "took too long and was killed";
  }
  return "ended";
}

}  // namespace ptxbatch
