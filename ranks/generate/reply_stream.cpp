#include "ranks/generate/reply_stream.h"

#include "common/clock.h"
#include "ranks/generate/provider_json.h"

namespace ptxbatch {
namespace {

using Next = HttpObserver::Next;

constexpr std::size_t kMostErrorBytes = 64U << 10U;
constexpr std::size_t kMostReplyBytes = 64U << 20U;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_success(int status) {
  return status >= 200 && status < 300;
}

bool is_json_type(const std::string& type) {
  return type == "application/json" || type.ends_with("+json");
}

}  // namespace

ReplyStream::ReplyStream(const WireFormat& format, const EndpointSpec& endpoint)
    : format_(format),
      endpoint_(endpoint),
      events_([this](std::string_view /*type*/, std::string_view data) { take_event(data); }) {}

// By the content type; where that says neither, by how the body begins.
void ReplyStream::decide_form(const HttpHead& head, std::string_view bytes) {
  if (!is_success(head.status)) {
    form_ = Form::kError;
  } else if (head.content_type == "text/event-stream") {
    form_ = Form::kEvents;
  } else if (is_json_type(head.content_type)) {
    form_ = Form::kDocument;
  } else {
    const std::size_t first = bytes.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return;
    const std::string_view begin = bytes.substr(first);
    const bool like_events =
        begin.starts_with("data:") || begin.starts_with("event:") || begin.starts_with(':');
    form_ = like_events ? Form::kEvents : Form::kDocument;
  }
}

Next ReplyStream::take(const HttpHead& head, std::string_view bytes) {
  if (form_ == Form::kUndecided) decide_form(head, bytes);
  if (form_ == Form::kEvents) {
    if (document_.size() < kMostErrorBytes) {
      document_ += bytes.substr(0, kMostErrorBytes - document_.size());
    }
    const std::size_t progress_before = progress();
    const std::size_t events_before = events_seen_;
    const std::uint64_t comments_before = events_.comments();
    too_large_ = !events_.feed(bytes) || progress() > kMostReplyBytes;
    if (too_large_ || malformed_ || end_marker_ || draft_.error) return Next::kStop;
    if (progress() > progress_before) return Next::kGoOn;
    // A part of a long line moves things on; events and comments that hold nothing do not.
    const bool nothing_new = events_seen_ > events_before || events_.comments() > comments_before;
    return nothing_new ? Next::kOnlyKeepAlive : Next::kGoOn;
  }
  const std::size_t most = form_ == Form::kError ? kMostErrorBytes : kMostReplyBytes;
  if (document_.size() + bytes.size() > most) {
    document_ += bytes.substr(0, most - document_.size());
    too_large_ = form_ != Form::kError;
    return Next::kStop;
  }
  document_ += bytes;
  const bool blank = bytes.find_first_not_of(kBlanks) == std::string_view::npos;
  return blank ? Next::kOnlyKeepAlive : Next::kGoOn;
}

// What a reply has grown by, as a number that only rises.
std::size_t ReplyStream::progress() const {
  return draft_.text.size() + draft_.reasoning.size() + (draft_.end ? 1U : 0U) +
         (draft_.recognised ? 1U : 0U) + (draft_.usage.known ? 1U : 0U);
}

void ReplyStream::take_event(std::string_view data) {
  ++events_seen_;
  if (end_marker_ || malformed_ || draft_.error) return;
  if (data == "[DONE]") {
    end_marker_ = true;
    return;
  }
  if (data.find_first_not_of(kBlanks) == std::string_view::npos) return;
  const auto chunk = parse_provider_json(data);
  if (!chunk) {
    // The last event of a stream that was cut is half an event.
    malformed_ = !finishing_;
    if (malformed_) document_ = data.substr(0, kMostErrorBytes);
    return;
  }
  format_.take(*chunk, draft_);
  if (text_at(*chunk, {"type"}) == "message_stop") end_marker_ = true;
}

void ReplyStream::take_document() {
  if (const auto whole = parse_provider_json(document_)) format_.take(*whole, draft_);
}

AttemptFault ReplyStream::foreign_reply() const {
  AttemptFault fault;
  fault.cause = "foreign_reply";
  fault.retry = true;
  fault.what = too_large_ ? "the reply is larger than any reply may be; it begins: "
                          : "the reply is not one of this API; it begins: ";
  fault.what += first_bytes(document_);
  fault.hint = "Check the model's url (" + endpoint_.url + ") and provider.";
  return fault;
}

tl::expected<ReplyDraft, AttemptFault> ReplyStream::finish(const HttpEnd& end) {
  finishing_ = true;
  const auto retry_after = parse_retry_after(end.head.retry_after, unix_time_s());
  const auto of_error = [&](int status, const ProviderError& error) {
    AttemptFault fault = fault_of_status(status, error, endpoint_);
    fault.retry_after_s = retry_after;
    return tl::unexpected(std::move(fault));
  };
  const int status = end.head.status;
  if (status >= 300 && status < 400) {
    AttemptFault fault;
    fault.kind = ModelFailure::Kind::kModel;
    fault.cause = "redirected";
    fault.what = "the server sends requests elsewhere: " + first_bytes(end.head.location);
    fault.hint = "A key is not sent to another address unasked: give it as the model's url.";
    return tl::unexpected(std::move(fault));
  }
  if (status != 0 && !is_success(status)) {
    const auto body = parse_provider_json(document_);
    ProviderError error = body ? format_.error_of(*body) : ProviderError{};
    if (error.message.empty()) error.message = document_;
    // Gemini answers a wrong key with 400.
    return of_error(error.status == 401 ? 401 : status, error);
  }
  if (form_ == Form::kEvents) events_.finish();
  if (form_ == Form::kDocument && !too_large_) take_document();
  if (draft_.error) return of_error(draft_.error->status, *draft_.error);
  if (malformed_ || too_large_) return tl::unexpected(foreign_reply());
  const bool whole = end.kind == HttpEnd::Kind::kComplete || end.kind == HttpEnd::Kind::kStopped;
  // Some servers never say why they ended; their end marker, or a whole document, says that they
  // did.
  const bool ended = end_marker_ || (form_ == Form::kDocument && whole);
  if (!draft_.end && ended && draft_.recognised && has_text()) draft_.end = ReplyEnd::kComplete;
  if (draft_.end) {
    split_think_block(draft_);
    return std::move(draft_);
  }
  const bool empty = document_.find_first_not_of(kBlanks) == std::string::npos;
  if (whole && !draft_.recognised && !empty) return tl::unexpected(foreign_reply());
  return tl::unexpected(fault_of_transfer(end, endpoint_));
}

}  // namespace ptxbatch
