#include "analysis/text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ptxbatch {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// From Unicode's EastAsianWidth (W and F) and general category Mn, in the blocks met in names.
constexpr std::array<Range, 4> kZeroWidth = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 9> kDoubleWidth = {{{0x1100, 0x115F},
                                                {0x2E80, 0x303E},
                                                {0x3041, 0xA4CF},
                                                {0xAC00, 0xD7A3},
                                                {0xF900, 0xFAFF},
                                                {0xFE30, 0xFE6F},
                                                {0xFF00, 0xFF60},
                                                {0x1F300, 0x1FAFF},
                                                {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range range) { return range.first <= code && code <= range.last; });
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xF0 && lead < 0xF8) return 4;
  if (lead >= 0xE0) return lead < 0xF0 ? 3 : 1;
  return lead >= 0xC0 ? 2 : 1;
}

// Takes one code point off the front; a byte that begins no whole sequence stands for itself.
char32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(lead);
  const std::string_view tail = text.substr(1, length - 1);
  if (tail.size() + 1 < length || !std::all_of(tail.begin(), tail.end(), is_continuation)) {
    text.remove_prefix(1);
    return lead;
  }
  char32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (const char byte : tail) code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  text.remove_prefix(length);
  return code;
}

std::string escape(std::string_view text, std::string_view special, std::string_view before) {
  std::string result;
  for (const char c : printable(text)) {
    if (special.find(c) != std::string_view::npos) result += before;
    result += c;
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string percent_text(double share) {
  return share == 0 ? std::string(kNone) : fmt::format("{:.1f}", 100 * share);
}

std::string speedup_text(double speedup) {
  return speedup == 0 ? std::string(kNone) : fmt::format("{:.3f}", speedup);
}

std::string count_text(long long count) {
  return count == 0 ? std::string(kNone) : std::to_string(count);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const char32_t code = take_code_point(text);
    if (!within(kZeroWidth, code)) width += within(kDoubleWidth, code) ? 2 : 1;
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string_view rest = text;
  std::string_view fits = text.substr(0, 0);
  while (!rest.empty()) {
    take_code_point(rest);
    const std::string_view longer = text.substr(0, text.size() - rest.size());
    if (display_width(longer) + 1 > width) break;
    fits = longer;
  }
  return std::string(fits) + "…";
}

std::string pad_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text).append(width - std::min(width, display_width(text)), ' ');
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return join_changed(parts, separator, [](const std::string& part) { return part; });
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space != 0) words.emplace_back(text.substr(0, space));
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return words;
}

std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return result;
}

std::string escape_markdown(std::string_view text) {
  return escape(text, "\\|*_`<[", "\\");
}

std::string escape_latex(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  replace_all(result, kNone, "--");
  replace_all(result, "×", "$\\times$");
  return result;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted(text);
  replace_all(quoted, "\"", "\"\"");
  return '"' + quoted + '"';
}

}  // namespace ptxbatch
