// One transfer of the HTTP loop: a libcurl easy handle, its observer and its clocks.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string_view>

#include "common/clock.h"
#include "ranks/generate/http_loop.h"

namespace ptxbatch {

class HttpTransfer {
 public:
  HttpTransfer(HttpRequest request, std::shared_ptr<HttpObserver> observer);

  std::uint64_t number = 0;  // the loop's

  [[nodiscard]] CURL* handle() const { return handle_.get(); }
  /// When to look at the clocks again: no clock runs out earlier.
  [[nodiscard]] Deadline next_look() const;
  /// The clock that has run out by now; kComplete when none has.
  [[nodiscard]] HttpEnd::Kind expired() const;
  /// Tells the observer. `expired_clock` goes before libcurl's result.
  void finish(CURLcode result, HttpEnd::Kind expired_clock);

 private:
  struct HandleDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  void set_options();
  /// When the first clock runs out, as things stand.
  [[nodiscard]] Deadline deadline() const;
  void take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  [[nodiscard]] HttpEnd::Kind kind_of(CURLcode result) const;
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);

  HttpRequest request_;
  std::shared_ptr<HttpObserver> observer_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  HttpHead head_;
  bool any_byte_ = false;
  bool stopped_ = false;
  CURLcode options_result_ = CURLE_OK;
  SteadyClock::time_point started_at_ = SteadyClock::now();
  SteadyClock::time_point last_byte_at_ = started_at_;
  SteadyClock::time_point last_progress_at_ = started_at_;
  std::unique_ptr<CURL, HandleDeleter> handle_;  // last: it uses all of the above
};

}  // namespace ptxbatch
