#include "tests/generate/fault_server.h"

#include <algorithm>
#include <chrono>

namespace ptxbatch {
namespace {

constexpr std::size_t kThreads = 64;
constexpr auto kPause = std::chrono::milliseconds(5);

}  // namespace

FaultServer::FaultServer(Handler handler)
    : handler_(std::move(handler)), server_(std::make_unique<httplib::Server>()) {
  start();
}

FaultServer::FaultServer(Handler handler, const std::string& certificate, const std::string& key)
    : handler_(std::move(handler)),
      server_(std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str())),
      tls_(true) {
  start();
}

FaultServer::~FaultServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  server_->stop();
  thread_.join();
}

void FaultServer::start() {
  server_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server_->set_keep_alive_max_count(1);  // an idle connection would hold up the server's end
  server_->Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
    count_in();
    {
      const std::lock_guard lock(mutex_);
      bodies_.push_back(request.body);
    }
    changed_.notify_all();
    handler_(request, response);
    --at_once_;
  });
  server_->Get("/v1/models", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(R"({"data":[{"id":"m"},{"id":"m-2"}]})", "application/json");
  });
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();  // until then it cannot be stopped
}

void FaultServer::count_in() {
  ++requests_;
  const int now = ++at_once_;
  int most = most_at_once_.load();
  while (now > most && !most_at_once_.compare_exchange_weak(most, now)) {
  }
}

std::string FaultServer::url() const {
  return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) + "/v1";
}

std::vector<std::string> FaultServer::bodies() const {
  const std::lock_guard lock(mutex_);
  return bodies_;
}

void FaultServer::wait_for_requests(int count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return static_cast<int>(bodies_.size()) >= count; });
}

void FaultServer::answer(httplib::Response& response, const std::string& events, bool cut) {
  response.set_chunked_content_provider(
      "text/event-stream", [events, cut](std::size_t /*offset*/, httplib::DataSink& sink) {
        if (!events.empty()) sink.write(events.data(), events.size());
        if (cut) return false;
        sink.done();
        return true;
      });
}

void FaultServer::hang(httplib::Response& response, const std::string& events,
                       const std::string& again) {
  response.set_chunked_content_provider(
      "text/event-stream", [this, events, again](std::size_t offset, httplib::DataSink& sink) {
        if (offset == 0 && !events.empty()) return sink.write(events.data(), events.size());
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, kPause, [this] { return stopping_; })) return false;
        lock.unlock();
        if (!again.empty()) return sink.write(again.data(), again.size());
        return sink.is_writable();
      });
}

void FaultServer::hold_until(int count) {
  std::unique_lock lock(mutex_);
  ++held_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return held_ >= count || stopping_; });
}

}  // namespace ptxbatch
