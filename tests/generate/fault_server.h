// An HTTP server on loopback that does what a test says: the faults of real ones, on demand.
#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ptxbatch {

class FaultServer {
 public:
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;

  /// Answers every POST with `handler`, each on a thread of its own.
  explicit FaultServer(Handler handler);
  /// With TLS: certificate and key in PEM files.
  FaultServer(Handler handler, const std::string& certificate, const std::string& key);
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// "http://127.0.0.1:PORT/v1"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int requests() const { return requests_.load(); }
  [[nodiscard]] int most_at_once() const { return most_at_once_.load(); }
  [[nodiscard]] std::vector<std::string> bodies() const;
  /// Waits until so many requests have arrived.
  void wait_for_requests(int count);

  /// Sends `events` as an event stream; with `cut` the connection ends without the stream's end.
  static void answer(httplib::Response& response, const std::string& events, bool cut = false);
  /// Begins an event stream with `events` and then writes `again` every few milliseconds, nothing
  /// when it is empty, until the client goes or the server stops.
  void hang(httplib::Response& response, const std::string& events, const std::string& again = "");
  /// Holds a request until the server stops or this many are held.
  void hold_until(int count);

 private:
  void start();
  void count_in();

  Handler handler_;
  std::unique_ptr<httplib::Server> server_;
  bool tls_ = false;
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<int> at_once_ = 0;
  std::atomic<int> most_at_once_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> bodies_;
  int held_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ptxbatch
