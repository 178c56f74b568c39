// Text for tables: how wide it is on a terminal, how a number is written, and what each output
// format wants escaped. Names come from users' files and may be any UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptxbatch {

/// What tables print where there is nothing: an en dash, as the paper does.
inline constexpr std::string_view kNone = "–";

/// "33.3" for a share of 1/3; kNone for 0.
std::string percent_text(double share);
/// "0.809"; kNone for 0.
std::string speedup_text(double speedup);
/// "12"; kNone for 0.
std::string count_text(long long count);

/// Columns that the UTF-8 text takes on a terminal: 0 for combining marks, 2 for wide East Asian
/// characters and emoji, 1 for the rest, bytes that are not UTF-8 included.
std::size_t display_width(std::string_view text);
/// The text, or as much of its beginning as leaves room for "…" within `width`.
std::string shorten(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The parts, each put through `change` first, joined.
template <class Parts, class Change>
std::string join_changed(const Parts& parts, std::string_view separator, Change change) {
  std::string result;
  for (const auto& part : parts) {
    if (&part != &*parts.begin()) result += separator;
    result += change(part);
  }
  return result;
}
std::vector<std::string> split_words(std::string_view text);

/// Control characters (line breaks and terminal commands among them) become '?'.
std::string printable(std::string_view text);
std::string escape_markdown(std::string_view text);
std::string escape_latex(std::string_view text);
/// A CSV field, quoted when it must be.
std::string csv_field(std::string_view text);

}  // namespace ptxbatch
