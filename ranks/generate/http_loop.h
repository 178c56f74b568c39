// HTTP for a whole rank in one thread: libcurl's multi interface on epoll, timers, and work posted
// from other threads. A transfer is watched by clocks for its connection, its first byte and its
// standstill, never by one for the whole of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/experiment.h"

namespace ptxbatch {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;                  // with one it is a POST, without a GET
  std::string ca_file;
  StreamClocks clocks;
};

/// What is known once the reply's header has come.
struct HttpHead {
  int status = 0;
  std::string content_type;  // lower-case, without parameters
  std::string retry_after;   // as it stands
  std::string location;
};

struct HttpEnd {
  enum class Kind {
    kComplete,
    kStopped,      // by the observer
    kResolve,      // no such host
    kConnect,      // no connection
    kCertificate,  // the server's certificate is not trusted
    kTls,          // any other failure of TLS
    kCut,          // the connection ended before the reply did
    kNoFirstByte,  // clocks
    kIdle,
    kOnlyKeepAlives,
    kUnusableRequest,  // the URL or the certificate file makes no sense
  };
  Kind kind = Kind::kComplete;
  std::string detail;  // libcurl's words
  HttpHead head;
  double seconds = 0;
};

/// Called from the loop's thread.
class HttpObserver {
 public:
  enum class Next { kGoOn, kOnlyKeepAlive, kStop };
  virtual ~HttpObserver() = default;
  /// A piece of the body; with kOnlyKeepAlive it moved nothing on.
  virtual Next on_data(const HttpHead& head, std::string_view bytes) = 0;
  virtual void on_end(const HttpEnd& end) = 0;
};

class HttpLoop {
 public:
  HttpLoop();
  /// Ends all transfers, without calling their observers.
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  /// Runs `work` on the loop's thread. Thread-safe.
  void post(std::function<void()> work);
  /// post(), and waits until it is done; not from the loop's thread.
  void run(const std::function<void()>& work);

  // From the loop's thread alone:

  /// Calls `work` later.
  void after(double seconds, std::function<void()> work);
  void start(HttpRequest request, std::shared_ptr<HttpObserver> observer);

  /// CPU seconds that the loop's thread has used. Thread-safe.
  [[nodiscard]] double cpu_s() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptxbatch
