// HTML as text: escaping, and tables that scroll on a narrow screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sheet.h"

namespace ptxbatch {

/// Text for element content and quoted attributes: any bytes become valid, inert HTML.
std::string html_text(std::string_view text);

/// Cells are HTML already; each row is as long as the header.
struct HtmlTable {
  std::vector<std::string> header;
  std::size_t name_columns = 1;  // left-aligned; the rest are numbers
  std::vector<std::vector<std::string>> rows;
};
std::string html_table(const HtmlTable& table);

/// The sheet's title and cells, a few columns at a time (what is beyond goes below, with the rows
/// that have anything there). Its notes are left to html_notes.
std::string html_sheet(const Sheet& sheet);
std::string html_notes(const std::vector<std::string>& notes);

/// "<section>" with a heading and an anchor.
std::string html_section(std::string_view id, std::string_view title, std::string_view body);

/// "1 234 567", with narrow spaces.
std::string grouped_digits(std::int64_t number);

}  // namespace ptxbatch
