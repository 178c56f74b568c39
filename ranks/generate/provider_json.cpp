#include "ranks/generate/provider_json.h"

#include <array>

#include "common/utf8.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

std::optional<unsigned> hex_of(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  if (text.size() < kDigits) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, kDigits)) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(std::optional<unsigned> unit) {
  return unit && *unit >= 0xD800 && *unit <= 0xDBFF;
}
bool is_low_surrogate(std::optional<unsigned> unit) {
  return unit && *unit >= 0xDC00 && *unit <= 0xDFFF;
}

// A server that sends token by token may put the two halves of \ud83d\ude00 into two events.
std::string replace_lone_surrogates(std::string_view text) {
  constexpr std::size_t kEscape = 6;  // \uXXXX
  std::string repaired;
  repaired.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      repaired += text[at++];
      continue;
    }
    const auto unit = text[at + 1] == 'u' ? hex_of(text.substr(at + 2)) : std::nullopt;
    const std::string_view rest = text.substr(std::min(text.size(), at + kEscape));
    if (is_high_surrogate(unit) && rest.starts_with("\\u") &&
        is_low_surrogate(hex_of(rest.substr(2)))) {
      repaired += text.substr(at, 2 * kEscape);
      at += 2 * kEscape;
    } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
      repaired += "\\ufffd";
      at += kEscape;
    } else {
      repaired += text.substr(at, 2);
      at += 2;
    }
  }
  return repaired;
}

std::optional<json> parse(std::string_view text) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<json> parse_provider_json(std::string_view text) {
  if (auto value = parse(text)) return value;
  return parse(replace_lone_surrogates(repair_utf8(text)));
}

const json* json_at(const json& value, std::initializer_list<std::string_view> path) {
  const json* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

std::string text_at(const json& value, std::initializer_list<std::string_view> path) {
  const json* found = json_at(value, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::int64_t> count_at(const json& value,
                                     std::initializer_list<std::string_view> path) {
  constexpr double kMost = 1e15;
  const json* found = json_at(value, path);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const auto count = found->get<double>();
  if (!(count >= 0 && count < kMost)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

}  // namespace ptxbatch
