#include "ranks/generate/sse_parser.h"

#include <utility>

namespace ptxbatch {

SseParser::SseParser(OnEvent on_event, std::size_t most_event_bytes)
    : on_event_(std::move(on_event)), most_event_bytes_(most_event_bytes) {}

bool SseParser::feed(std::string_view bytes) {
  while (!bytes.empty() && !overflown_) {
    if (std::exchange(skip_feed_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + data_.size() > most_event_bytes_) {
      overflown_ = true;
      break;
    }
    if (end == std::string_view::npos) {
      line_ += part;
      break;
    }
    skip_feed_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part);
    } else {
      line_ += part;
      take_line(std::exchange(line_, {}));
    }
  }
  return !overflown_;
}

void SseParser::finish() {
  if (overflown_) return;
  if (!line_.empty()) take_line(std::exchange(line_, {}));
  dispatch();
}

void SseParser::take_line(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) return dispatch();
  const std::size_t colon = line.find(':');
  if (colon == 0) {
    ++comments_;
    return;
  }
  std::string_view value;
  if (colon != std::string_view::npos) {
    value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
  }
  take_field(line.substr(0, colon), value);
}

void SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    type_ = value;
  } else if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

void SseParser::dispatch() {
  if (std::exchange(has_data_, false)) on_event_(type_, data_);
  type_.clear();
  data_.clear();
}

}  // namespace ptxbatch
