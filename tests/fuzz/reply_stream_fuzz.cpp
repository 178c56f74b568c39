// libFuzzer: the stream parser and the three wire formats, fed anything in any pieces. What comes
// of it must not depend on the pieces.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ranks/generate/reply_stream.h"

namespace ptxbatch {
namespace {

std::string outcome_of(const WireFormat& format, const char* type, std::string_view body,
                       std::size_t piece) {
  static const EndpointSpec endpoint;
  ReplyStream stream(format, endpoint);
  HttpEnd end;
  end.head.status = 200;
  end.head.content_type = type;
  for (std::size_t at = 0; at < body.size(); at += piece) {
    if (stream.take(end.head, body.substr(at, piece)) == HttpObserver::Next::kStop) break;
  }
  const auto outcome = stream.finish(end);
  return outcome ? "reply " + outcome->text + "|" + outcome->reasoning
                 : "fault " + outcome.error().cause;
}

}  // namespace
}  // namespace ptxbatch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ptxbatch;
  if (size < 2) return 0;
  const WireFormat* formats[] = {&openai_chat(), &anthropic_messages(), &gemini_generate_content()};
  const WireFormat& format = *formats[data[0] % 3];
  const char* type = data[0] % 2 == 0 ? "text/event-stream" : "application/json";
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string whole = outcome_of(format, type, body, body.size() + 1);
  if (whole != outcome_of(format, type, body, 1 + data[1] % 16)) std::abort();
  return 0;
}
