#include "ranks/generate/http_transfer.h"

#include <algorithm>
#include <cctype>

#include "common/trim.h"
#include "common/version.h"

namespace ptxbatch {
namespace {

constexpr long kBufferBytes = 16L * 1024;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

HttpTransfer::HttpTransfer(HttpRequest request, std::shared_ptr<HttpObserver> observer)
    : request_(std::move(request)), observer_(std::move(observer)), handle_(curl_easy_init()) {
  set_options();
}

void HttpTransfer::set_options() {
  CURL* curl = handle();
  const auto set = [&](CURLoption option, auto value) {
    const CURLcode result = curl_easy_setopt(curl, option, value);
    if (options_result_ == CURLE_OK) options_result_ = result;
  };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, (std::string("ptxbatch/") + kVersion).c_str());
  set(CURLOPT_ACCEPT_ENCODING, "");  // whatever libcurl can unpack
  set(CURLOPT_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.clocks.connect_s * 1000));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // A key must not follow a redirection elsewhere: redirections are reported, not followed.
  set(CURLOPT_FOLLOWLOCATION, 0L);
  if (!request_.ca_file.empty()) set(CURLOPT_CAINFO, request_.ca_file.c_str());
  if (!request_.body.empty()) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.c_str());
  }
  curl_slist* list = nullptr;
  for (const std::string& header : request_.headers) list = curl_slist_append(list, header.c_str());
  // Without this libcurl asks before it sends a long body, and waits a second for an answer.
  list = curl_slist_append(list, "Expect:");
  headers_.reset(list);
  set(CURLOPT_HTTPHEADER, list);
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(CURLOPT_WRITEDATA, this);
}

std::size_t HttpTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  static_cast<HttpTransfer*>(self)->take_header({data, size * count});
  return size * count;
}

std::size_t HttpTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  const bool go_on = static_cast<HttpTransfer*>(self)->take_body({data, size * count});
  return go_on ? size * count : CURL_WRITEFUNC_ERROR;
}

void HttpTransfer::take_header(std::string_view line) {
  any_byte_ = true;
  last_byte_at_ = last_progress_at_ = SteadyClock::now();
  if (line.starts_with("HTTP/")) {  // of each reply: an interim or a proxy's one before it
    head_ = HttpHead{};
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "content-type") head_.content_type = lower(trim(value.substr(0, value.find(';'))));
  if (name == "retry-after") head_.retry_after = value;
  if (name == "location") head_.location = value;
}

bool HttpTransfer::take_body(std::string_view bytes) {
  last_byte_at_ = SteadyClock::now();
  if (head_.status == 0) {
    long status = 0;
    curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
    head_.status = static_cast<int>(status);
  }
  const HttpObserver::Next next = observer_->on_data(head_, bytes);
  if (next == HttpObserver::Next::kGoOn) last_progress_at_ = last_byte_at_;
  stopped_ = next == HttpObserver::Next::kStop;
  return !stopped_;
}

Deadline HttpTransfer::deadline() const {
  const StreamClocks& clocks = request_.clocks;
  if (!any_byte_) return started_at_ + duration_of(clocks.connect_s + clocks.first_byte_s);
  return std::min(last_byte_at_ + duration_of(clocks.idle_s),
                  last_progress_at_ + duration_of(clocks.keep_alive_s));
}

// With the first byte other clocks begin, which may run out before the first one would have.
Deadline HttpTransfer::next_look() const {
  if (any_byte_) return deadline();
  const double least_s = std::min(request_.clocks.idle_s, request_.clocks.keep_alive_s);
  return std::min(deadline(), SteadyClock::now() + duration_of(least_s));
}

HttpEnd::Kind HttpTransfer::expired() const {
  const auto now = SteadyClock::now();
  if (now < deadline()) return HttpEnd::Kind::kComplete;
  if (!any_byte_) return HttpEnd::Kind::kNoFirstByte;
  const bool idle = now >= last_byte_at_ + duration_of(request_.clocks.idle_s);
  return idle ? HttpEnd::Kind::kIdle : HttpEnd::Kind::kOnlyKeepAlives;
}

HttpEnd::Kind HttpTransfer::kind_of(CURLcode result) const {
  if (options_result_ != CURLE_OK) return HttpEnd::Kind::kUnusableRequest;
  switch (result) {
    case CURLE_OK:
      return HttpEnd::Kind::kComplete;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_SSL_CACERT_BADFILE:
      return HttpEnd::Kind::kUnusableRequest;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpEnd::Kind::kResolve;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
      return HttpEnd::Kind::kConnect;
    case CURLE_PEER_FAILED_VERIFICATION:
      return HttpEnd::Kind::kCertificate;
    case CURLE_SSL_CONNECT_ERROR:
      return HttpEnd::Kind::kTls;
    default:
      return stopped_ ? HttpEnd::Kind::kStopped : HttpEnd::Kind::kCut;
  }
}

void HttpTransfer::finish(CURLcode result, HttpEnd::Kind expired_clock) {
  HttpEnd end;
  end.kind = expired_clock != HttpEnd::Kind::kComplete ? expired_clock : kind_of(result);
  end.detail = error_text_.front() != '\0' ? error_text_.data() : curl_easy_strerror(result);
  long status = 0;
  curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
  head_.status = static_cast<int>(status);
  end.head = head_;
  end.seconds = seconds_since(started_at_);
  observer_->on_end(end);
}

}  // namespace ptxbatch
