// One end of a connection between two processes of one machine: whole messages (SOCK_SEQPACKET),
// file descriptors along with them (SCM_RIGHTS).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/unique_fd.h"

namespace ptxbatch {

struct Packet {
  std::string bytes;
  std::vector<UniqueFd> fds;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}
  /// Two connected ends, both close-on-exec.
  static Result<std::pair<Channel, Channel>> make_pair();

  /// Sends without ever waiting: a peer that does not read its messages is an error of the peer.
  Status send(const std::string& bytes, const std::vector<int>& fds = {});
  /// Waits for one message of at most `max_bytes`; descriptors beyond `max_fds` are refused.
  /// nullopt when the other end is closed.
  Result<std::optional<Packet>> receive(std::size_t max_bytes, std::size_t max_fds);

  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] UniqueFd take() { return std::move(socket_); }

 private:
  UniqueFd socket_;
};

}  // namespace ptxbatch
