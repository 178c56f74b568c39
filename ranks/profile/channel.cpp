#include "ranks/profile/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ptxbatch {
namespace {

// The kernel takes at most 253 descriptors a message (SCM_MAX_FD).
constexpr std::size_t kMaxFds = 253;

std::vector<UniqueFd> received_fds(msghdr& header) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Result<std::pair<Channel, Channel>> Channel::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(system_error("socketpair", errno));
  }
  return std::pair(Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1])));
}

Status Channel::send(const std::string& bytes, const std::vector<int>& fds) {
  if (fds.size() > kMaxFds) {
    return fail(ErrorKind::kInternal, "too many descriptors for one message");
  }
  iovec data{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  std::vector<char> control(fds.empty() ? 0 : CMSG_SPACE(fds.size() * sizeof(int)));
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(part), fds.data(), fds.size() * sizeof(int));
  }
  while (::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return fail(system_error("cannot send a message", errno));
  }
  return {};
}

Result<std::optional<Packet>> Channel::receive(std::size_t max_bytes, std::size_t max_fds) {
  Packet packet;
  packet.bytes.resize(max_bytes);
  iovec data{packet.bytes.data(), packet.bytes.size()};
  std::vector<char> control(max_fds == 0 ? 0 : CMSG_SPACE(max_fds * sizeof(int)));
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.empty() ? nullptr : control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count == 0 || (count < 0 && errno == ECONNRESET)) return std::nullopt;
  if (count < 0) return fail(system_error("cannot receive a message", errno));
  packet.fds = received_fds(header);
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return fail(ErrorKind::kProtocol, "a message that is too large or brings too many descriptors");
  }
  packet.bytes.resize(static_cast<std::size_t>(count));
  return packet;
}

}  // namespace ptxbatch
