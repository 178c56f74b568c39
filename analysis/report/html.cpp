#include "analysis/report/html.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "common/utf8.h"

namespace ptxbatch {
namespace {

// So many columns of values stand side by side.
constexpr std::size_t kColumns = 5;

// What is in a cell's second line is less important.
std::string html_cell(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return html_text(text);
  return html_text(text.substr(0, end)) + R"(<br><span class="muted">)" +
         html_text(text.substr(end + 1)) + "</span>";
}

// The names and the columns from `first` to before `last`; none where these are all empty.
std::vector<std::string> part_of_row(const std::vector<std::string>& row, std::size_t names,
                                     std::size_t first, std::size_t last) {
  std::vector<std::string> part;
  bool any = false;
  for (std::size_t i = 0; i < names; ++i) part.push_back(html_text(row[i]));
  for (std::size_t i = first; i < last; ++i) {
    any |= !row[i].empty();
    part.push_back(html_cell(row[i]));
  }
  return any ? part : std::vector<std::string>{};
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : repair_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
      result += "\xEF\xBF\xBD";  // HTML allows no control characters
    } else {
      result += c;
    }
  }
  return result;
}

std::string html_table(const HtmlTable& table) {
  std::string html = R"(<div class="scroll" tabindex="0"><table><thead><tr>)";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    html += fmt::format(R"(<th scope="col"{}>{}</th>)",
                        i < table.name_columns ? "" : R"( class="n")", table.header[i]);
  }
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += i < table.name_columns ? R"(<th scope="row">)" + row[i] + "</th>"
                                     : R"(<td class="n">)" + row[i] + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_sheet(const Sheet& sheet) {
  std::string html = "<h3>" + html_text(sheet.title) + "</h3>\n";
  for (std::size_t first = sheet.name_columns; first < sheet.header.size(); first += kColumns) {
    const std::size_t last = std::min(first + kColumns, sheet.header.size());
    HtmlTable table;
    table.name_columns = sheet.name_columns;
    table.header = part_of_row(sheet.header, sheet.name_columns, first, last);
    for (const auto& row : sheet.rows) {
      auto part = part_of_row(row, sheet.name_columns, first, last);
      if (!part.empty()) table.rows.push_back(std::move(part));
    }
    html += html_table(table);
  }
  return html;
}

std::string html_notes(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string html = "<ul class=\"notes\">\n";
  for (const std::string& note : notes) html += "<li>" + html_text(note) + "</li>\n";
  return html + "</ul>\n";
}

std::string html_section(std::string_view id, std::string_view title, std::string_view body) {
  return fmt::format("<section id=\"{0}\">\n<h2>{1}</h2>\n{2}</section>\n", id, title, body);
}

std::string grouped_digits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, "\u202F");
  }
  return digits;
}

}  // namespace ptxbatch
