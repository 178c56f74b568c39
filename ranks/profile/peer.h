// A child process of the rank and the channel to it: starts it, asks it one thing at a time, and
// says in what way an answer failed to come. Believes nothing that decode() and the nonce do not
// confirm.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/process.h"
#include "ranks/profile/channel.h"
#include "ranks/profile/messages.h"

namespace ptxbatch {

/// A number that the other side cannot guess.
std::uint64_t fresh_nonce();

struct PeerFailure {
  enum class Kind {
    kEnded,     // the process is gone: `end` says how
    kTimedOut,  // and was killed
    kTampered,  // something that is no answer came over the channel; the process was killed
    kRefused,   // the peer says that it cannot
  };
  Kind kind = Kind::kEnded;
  ProcessEnd end;
  std::string what;
  std::string hint;
};

template <class T>
using PeerResult = tl::expected<T, PeerFailure>;

template <class ReplyType>
struct Answer {
  ReplyType reply;
  std::vector<UniqueFd> fds;
  double seconds = 0;  // from the request to the reply, by the rank's clock
};

class Peer {
 public:
  /// The number under which a child finds its end of the channel.
  static constexpr int kChannelFd = 3;

  /// Starts the program with its channel at kChannelFd.
  static Result<Peer> start(ProcessSpec spec);
  /// One process may be reached over several channels.
  Peer(std::shared_ptr<ChildProcess> child, Channel channel)
      : child_(std::move(child)), channel_(std::move(channel)) {}

  /// Sends `request` with a fresh nonce and waits for the reply of the wanted type.
  template <class ReplyType, class Request>
  PeerResult<Answer<ReplyType>> ask(Request request, Deadline deadline,
                                    const std::vector<int>& fds = {}) {
    request.nonce = fresh_nonce();
    const auto start = SteadyClock::now();
    if (!channel_.send(encode(request), fds)) return tl::unexpected(lost());
    auto received = receive(deadline);
    const double seconds = seconds_since(start);
    if (!received) return tl::unexpected(received.error());
    return match<ReplyType>(std::move(*received), request.nonce, seconds);
  }

  /// Waits for the peer's first message, which answers no request.
  template <class Hello>
  PeerResult<Hello> wait_for_hello(Deadline deadline) {
    auto received = receive(deadline);
    if (!received) return tl::unexpected(received.error());
    if (auto* hello = std::get_if<Hello>(&received->message)) return std::move(*hello);
    if (auto* refused = std::get_if<Refused>(&received->message)) {
      return tl::unexpected(refusal(std::move(*refused)));
    }
    return tl::unexpected(tampered("it did not say hello"));
  }

  /// Closes this end of the channel: there will be no more requests.
  void hang_up() { channel_ = Channel(); }

  /// False once the process has ended.
  [[nodiscard]] bool alive() const;
  [[nodiscard]] ChildProcess& child() const { return *child_; }
  /// Where it said that it faulted, if it did: advice, since a candidate can say so too.
  [[nodiscard]] const std::string& fault_place() const { return fault_place_; }

 private:
  struct Received {
    PeerMessage message;
    std::vector<UniqueFd> fds;
  };
  PeerResult<Received> receive(Deadline deadline);
  PeerFailure lost();
  PeerFailure timed_out();
  PeerFailure tampered(const std::string& what);
  static PeerFailure refusal(Refused refused);

  template <class ReplyType>
  PeerResult<Answer<ReplyType>> match(Received received, std::uint64_t nonce, double seconds) {
    if (auto* reply = std::get_if<ReplyType>(&received.message); reply && reply->nonce == nonce) {
      return Answer<ReplyType>{std::move(*reply), std::move(received.fds), seconds};
    }
    if (auto* refused = std::get_if<Refused>(&received.message);
        refused && refused->nonce == nonce) {
      return tl::unexpected(refusal(std::move(*refused)));
    }
    return tl::unexpected(tampered("a message came that answers no request"));
  }

  std::shared_ptr<ChildProcess> child_;
  Channel channel_;
  std::string fault_place_;
};

/// How a process ended, in words: "was killed by signal 11 (Segmentation fault)".
std::string describe_end(const ProcessEnd& end);

}  // namespace ptxbatch
