#include "tests/benchmarks/stream_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ptxbatch {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
constexpr std::string_view kEvent =
    "data: "
    "{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"m\","
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\" token\"},\"finish_reason\":null}]}\n\n";
constexpr std::string_view kEnd =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

void send_all(int socket, std::string_view bytes) {
  static_cast<void>(!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

// The request is small: once its blank line and its body's closing brace are there, it is whole.
void read_request(int socket) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos || !request.ends_with('}')) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count <= 0) return;
    request.append(buffer, static_cast<std::size_t>(count));
  }
}

[[noreturn]] void serve(int listener, int streams, int events_per_second, int seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<int> sockets;
  for (int i = 0; i < streams; ++i) {
    sockets.push_back(::accept(listener, nullptr, nullptr));
    read_request(sockets.back());
  }
  for (const int socket : sockets) send_all(socket, kHead);
  const auto start = std::chrono::steady_clock::now();
  for (int event = 0; event < events_per_second * seconds; ++event) {
    for (const int socket : sockets) send_all(socket, kEvent);
    std::this_thread::sleep_until(start +
                                  std::chrono::milliseconds(1000LL * event / events_per_second));
  }
  for (const int socket : sockets) {
    send_all(socket, kEnd);
    ::close(socket);
  }
  ::_exit(0);
}

}  // namespace

StreamServer start_stream_server(int streams, int events_per_second, int seconds) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listener, streams);
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const pid_t pid = ::fork();
  if (pid == 0) serve(listener, streams, events_per_second, seconds);
  ::close(listener);
  return {pid, ntohs(address.sin_port)};
}

}  // namespace ptxbatch
