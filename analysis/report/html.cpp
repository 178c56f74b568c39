#include "analysis/report/html.h"

#include <spdlog/fmt/fmt.h>

#include "common/utf8.h"

namespace ptxbatch {

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
