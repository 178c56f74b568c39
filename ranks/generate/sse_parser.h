// Server-sent events out of a stream of bytes, whatever pieces it comes in: lines end in LF, CR or
// CRLF, comments are counted and dropped, several data lines make one text. Knows nothing of what
// the events hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ptxbatch {

class SseParser {
 public:
  /// `type` is empty when the event has none. The views are valid during the call.
  using OnEvent = std::function<void(std::string_view type, std::string_view data)>;

  static constexpr std::size_t kMostEventBytes = 64U << 20U;

  explicit SseParser(OnEvent on_event, std::size_t most_event_bytes = kMostEventBytes);

  /// False once an event is larger than it may be; nothing is read any more then.
  [[nodiscard]] bool feed(std::string_view bytes);
  /// The stream has ended: an event that no blank line closed counts too. It may be cut short.
  void finish();

  [[nodiscard]] std::uint64_t comments() const { return comments_; }

 private:
  void take_line(std::string_view line);
  void take_field(std::string_view name, std::string_view value);
  void dispatch();

  OnEvent on_event_;
  std::size_t most_event_bytes_;
  std::string line_;  // the part of a line that has come so far
  std::string type_;
  std::string data_;
  bool has_data_ = false;
  bool at_start_ = true;    // a byte order mark may stand here
  bool skip_feed_ = false;  // after CR: an LF belongs to it
  bool overflown_ = false;
  std::uint64_t comments_ = 0;
};

}  // namespace ptxbatch
