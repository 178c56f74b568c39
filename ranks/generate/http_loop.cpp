#include "ranks/generate/http_loop.h"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/clock.h"
#include "common/unique_fd.h"
#include "ranks/generate/http_transfer.h"

namespace ptxbatch {

class HttpLoop::Impl {
 public:
  Impl() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Impl::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Impl::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_.get();
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
    thread_ = std::thread([this] { serve(); });
  }

  ~Impl() {
    post([this] { stopping_ = true; });
    thread_.join();
    for (const auto& [handle, transfer] : transfers_) curl_multi_remove_handle(multi_, handle);
    transfers_.clear();
    curl_multi_cleanup(multi_);
    curl_global_cleanup();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(work));
    }
    const std::uint64_t one = 1;
    // It fails only when the counter is full: then the loop is awake already.
    static_cast<void>(!::write(wake_.get(), &one, sizeof one));
  }

  void after(double seconds, std::function<void()> work) {
    timers_.emplace(deadline_in(seconds), std::move(work));
  }

  void start(HttpRequest request, std::shared_ptr<HttpObserver> observer) {
    auto transfer = std::make_unique<HttpTransfer>(std::move(request), std::move(observer));
    CURL* handle = transfer->handle();
    HttpTransfer& started = *(transfers_[handle] = std::move(transfer));
    started.number = ++transfers_started_;
    watched_[started.number] = handle;
    watch(started.number, started.next_look());
    curl_multi_add_handle(multi_, handle);
  }

  [[nodiscard]] double cpu_s() {
    clockid_t clock{};
    timespec used{};
    if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0) return 0;
    ::clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

 private:
  void serve() {
    std::array<epoll_event, 256> events{};
    while (!stopping_) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), wait_ms());
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        if (event.data.fd == wake_.get()) {
          std::uint64_t counter = 0;
          static_cast<void>(!::read(wake_.get(), &counter, sizeof counter));
        } else {
          act(event.data.fd, event.events);
        }
      }
      run_posted();
      run_timers();
      reap();
    }
  }

  [[nodiscard]] int wait_ms() const {
    std::optional<Deadline> next = curl_timer_;
    if (!timers_.empty() && (!next || timers_.begin()->first < *next)) {
      next = timers_.begin()->first;
    }
    return next ? poll_timeout_ms(*next) : -1;
  }

  void act(int socket, std::uint32_t events) {
    unsigned mask = 0;
    if ((events & EPOLLIN) != 0) mask |= CURL_CSELECT_IN;
    if ((events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) mask |= CURL_CSELECT_ERR;
    int running = 0;
    curl_multi_socket_action(multi_, socket, static_cast<int>(mask), &running);
  }

  void run_posted() {
    std::vector<std::function<void()>> work;
    {
      const std::lock_guard lock(mutex_);
      work.swap(posted_);
    }
    for (const auto& item : work) item();
  }

  void run_timers() {
    if (curl_timer_ && SteadyClock::now() >= *curl_timer_) {
      curl_timer_.reset();
      int running = 0;
      curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    while (!timers_.empty() && timers_.begin()->first <= SteadyClock::now()) {
      const auto work = std::move(timers_.extract(timers_.begin()).mapped());
      work();
    }
  }

  // The timer of a transfer's clocks: a clock that was wound up meanwhile is looked at again when
  // it would run out now.
  void watch(std::uint64_t number, Deadline deadline) {
    timers_.emplace(deadline, [this, number] {
      const auto watched = watched_.find(number);
      if (watched == watched_.end()) return;
      const HttpTransfer& transfer = *transfers_.at(watched->second);
      const HttpEnd::Kind expired = transfer.expired();
      if (expired == HttpEnd::Kind::kComplete) {
        watch(number, transfer.next_look());
      } else {
        end(watched->second, CURLE_OPERATION_TIMEDOUT, expired);
      }
    });
  }

  void reap() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) {
        end(message->easy_handle, message->data.result, HttpEnd::Kind::kComplete);
      }
    }
  }

  void end(CURL* handle, CURLcode result, HttpEnd::Kind expired_clock) {
    const auto transfer = std::move(transfers_.extract(handle).mapped());
    watched_.erase(transfer->number);
    curl_multi_remove_handle(multi_, handle);
    transfer->finish(result, expired_clock);
  }

  static int on_socket(CURL* /*handle*/, curl_socket_t socket, int what, void* self, void* known) {
    auto* loop = static_cast<Impl*>(self);
    epoll_event event{};
    event.data.fd = socket;
    if (what == CURL_POLL_REMOVE) {
      ::epoll_ctl(loop->epoll_.get(), EPOLL_CTL_DEL, socket, &event);
      return 0;
    }
    if (what != CURL_POLL_OUT) event.events |= EPOLLIN;
    if (what != CURL_POLL_IN) event.events |= EPOLLOUT;
    ::epoll_ctl(loop->epoll_.get(), known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket,
                &event);
    curl_multi_assign(loop->multi_, socket, loop);
    return 0;
  }

  static int on_timer(CURLM* /*multi*/, long timeout_ms, void* self) {
    auto* loop = static_cast<Impl*>(self);
    loop->curl_timer_.reset();
    if (timeout_ms >= 0) {
      loop->curl_timer_ = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
    }
    return 0;
  }

  UniqueFd epoll_;
  UniqueFd wake_;
  CURLM* multi_ = nullptr;
  std::map<CURL*, std::unique_ptr<HttpTransfer>> transfers_;
  std::map<std::uint64_t, CURL*> watched_;  // by number: an address may be used again
  std::uint64_t transfers_started_ = 0;
  std::multimap<Deadline, std::function<void()>> timers_;
  std::optional<Deadline> curl_timer_;
  bool stopping_ = false;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::thread thread_;  // last: it uses all of the above
};

HttpLoop::HttpLoop() : impl_(std::make_unique<Impl>()) {}
HttpLoop::~HttpLoop() = default;

void HttpLoop::post(std::function<void()> work) {
  impl_->post(std::move(work));
}

void HttpLoop::run(const std::function<void()>& work) {
  std::promise<void> done;
  impl_->post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void HttpLoop::after(double seconds, std::function<void()> work) {
  impl_->after(seconds, std::move(work));
}

void HttpLoop::start(HttpRequest request, std::shared_ptr<HttpObserver> observer) {
  impl_->start(std::move(request), std::move(observer));
}

double HttpLoop::cpu_s() const {
  return impl_->cpu_s();
}

}  // namespace ptxbatch
