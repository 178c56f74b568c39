#include "results/stored_string.h"

namespace ptxbatch {
namespace {

constexpr char kEscape = '\xFF';

}  // namespace

std::string to_stored_string(std::string_view text) {
  std::string stored;
  stored.reserve(text.size());
  for (const char c : text) {
    if (c == '\0' || c == kEscape) stored += kEscape;
    stored += c == '\0' ? '0' : c;
  }
  return stored;
}

std::string from_stored_string(std::string_view stored) {
  stored = stored.substr(0, stored.find('\0'));
  std::string text;
  text.reserve(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != kEscape || i + 1 == stored.size()) {
      text += stored[i];
    } else {
      ++i;
      text += stored[i] == '0' ? '\0' : stored[i];
    }
  }
  return text;
}

}  // namespace ptxbatch
