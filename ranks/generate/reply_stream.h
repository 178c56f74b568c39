// The body of one reply, taken as it comes and judged at its end. Pure: bytes in, reply or fault
// out; it does no input or output and may be fed anything.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "ranks/generate/attempt_fault.h"
#include "ranks/generate/sse_parser.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {

class ReplyStream {
 public:
  /// Both must outlive it.
  ReplyStream(const WireFormat& format, const EndpointSpec& endpoint);
  ReplyStream(const ReplyStream&) = delete;
  ReplyStream& operator=(const ReplyStream&) = delete;

  HttpObserver::Next take(const HttpHead& head, std::string_view bytes);

  /// After the last byte. A reply counts as whole once the provider has said why it ended, however
  /// the transfer did.
  tl::expected<ReplyDraft, AttemptFault> finish(const HttpEnd& end);

  /// Whether anything of a reply's text or reasoning has come.
  [[nodiscard]] bool has_text() const { return !draft_.text.empty() || !draft_.reasoning.empty(); }

 private:
  enum class Form { kUndecided, kEvents, kDocument, kError };

  void decide_form(const HttpHead& head, std::string_view bytes);
  void take_event(std::string_view data);
  void take_document();
  [[nodiscard]] AttemptFault foreign_reply() const;
  [[nodiscard]] std::size_t progress() const;

  const WireFormat& format_;
  const EndpointSpec& endpoint_;
  Form form_ = Form::kUndecided;
  SseParser events_;
  std::string document_;  // the whole of it, or the body of an error; of a stream its beginning
  ReplyDraft draft_;
  std::size_t events_seen_ = 0;
  bool end_marker_ = false;
  bool finishing_ = false;
  bool too_large_ = false;
  bool malformed_ = false;
};

}  // namespace ptxbatch
