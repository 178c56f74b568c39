#include "analysis/sheet.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "analysis/text.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kGap = "  ";

struct Column {
  std::vector<std::string> header;  // lines
  std::size_t width = 0;
};

// Puts as many words on a line as fit.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : split_words(text)) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

// A column is as wide as its cells; a longer header is broken between words.
Column layout_column(const Sheet& sheet, std::size_t index) {
  Column column;
  for (const auto& row : sheet.rows) {
    column.width = std::max(column.width, display_width(printable(row[index])));
  }
  const std::string header = printable(sheet.header[index]);
  for (const std::string& word : split_words(header)) {
    column.width = std::max(column.width, display_width(word));
  }
  column.header = wrap(header, column.width);
  return column;
}

std::vector<Column> layout_columns(const Sheet& sheet) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < sheet.header.size(); ++i) columns.push_back(layout_column(sheet, i));
  return columns;
}

// Column numbers of one printed piece of a sheet.
using Piece = std::vector<std::size_t>;

std::vector<Piece> cut_into_pieces(const Sheet& sheet, const std::vector<Column>& columns,
                                   std::size_t width) {
  Piece names(sheet.name_columns);
  std::size_t names_width = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = i;
    names_width += columns[i].width + kGap.size();
  }
  std::vector<Piece> pieces = {names};
  std::size_t used = names_width;
  for (std::size_t i = sheet.name_columns; i < columns.size(); ++i) {
    const std::size_t more = columns[i].width + kGap.size();
    if (width > 0 && used + more > width + kGap.size() && pieces.back().size() > names.size()) {
      pieces.push_back(names);
      used = names_width;
    }
    pieces.back().push_back(i);
    used += more;
  }
  return pieces;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// One printed line; cell(i) is the text of column i.
template <class Cell>
std::string print_line(const Sheet& sheet, const std::vector<Column>& columns, const Piece& piece,
                       Cell cell) {
  std::vector<std::string> texts;
  for (const std::size_t i : piece) {
    const bool is_name = i < sheet.name_columns;
    texts.push_back(is_name ? pad_right(cell(i), columns[i].width)
                            : pad_left(cell(i), columns[i].width));
  }
  return without_trailing_spaces(join(texts, kGap)) + '\n';
}

std::string repeat(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

std::size_t header_height(const std::vector<Column>& columns, const Piece& piece) {
  std::size_t height = 0;
  for (const std::size_t i : piece) height = std::max(height, columns[i].header.size());
  return height;
}

// Headers of different heights stand on the rule.
std::string header_line(const Column& column, std::size_t line, std::size_t height) {
  const std::size_t first = height - column.header.size();
  return line < first ? std::string{} : column.header[line - first];
}

std::string print_piece(const Sheet& sheet, const std::vector<Column>& columns,
                        const Piece& piece) {
  std::string result;
  const std::size_t height = header_height(columns, piece);
  for (std::size_t line = 0; line < height; ++line) {
    result += print_line(sheet, columns, piece,
                         [&](std::size_t i) { return header_line(columns[i], line, height); });
  }
  result += print_line(sheet, columns, piece,
                       [&](std::size_t i) { return repeat("─", columns[i].width); });
  for (const auto& row : sheet.rows) {
    result += print_line(sheet, columns, piece, [&](std::size_t i) { return printable(row[i]); });
  }
  return result;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return "| " + join_changed(cells, " | ", escape_markdown) + " |\n";
}

// About what a page holds: characters across, and rows below each other.
constexpr std::size_t kLatexWidth = 140;
constexpr std::size_t kLatexRows = 45;

std::string latex_row(const std::vector<std::string>& cells, const Piece& piece) {
  return "  " + join_changed(piece, " & ", [&](std::size_t i) { return escape_latex(cells[i]); }) +
         " \\\\\n";
}

// One piece of the rows from `first` to before `last`.
std::string latex_tabular(const Sheet& sheet, const Piece& piece, std::size_t first,
                          std::size_t last) {
  std::string result =
      fmt::format(R"(  \begin{{tabular}}{{{}{}}}
  \toprule
{}  \midrule
)",
                  repeat("l", sheet.name_columns), repeat("r", piece.size() - sheet.name_columns),
                  latex_row(sheet.header, piece));
  for (std::size_t row = first; row < last; ++row) result += latex_row(sheet.rows[row], piece);
  return result + "  \\bottomrule\n  \\end{tabular}\n";
}

std::string latex_notes(const Sheet& sheet) {
  std::string result;
  for (const std::string& note : sheet.notes) {
    result += R"(  \par\smallskip{\footnotesize )" + escape_latex(note) + "}\n";
  }
  return result;
}

std::size_t value_columns(const Sheet& sheet) {
  return sheet.header.size() - sheet.name_columns;
}

}  // namespace

std::string render_terminal(const Sheet& sheet, std::size_t width) {
  const std::vector<Column> columns = layout_columns(sheet);
  std::string result = printable(sheet.title) + "\n\n";
  const std::vector<Piece> pieces = cut_into_pieces(sheet, columns, width);
  for (const Piece& piece : pieces) {
    if (&piece != &pieces.front()) result += '\n';
    result += print_piece(sheet, columns, piece);
  }
  if (!sheet.notes.empty()) result += '\n';
  for (const std::string& note : sheet.notes) {
    result += join(wrap(printable(note), width > 0 ? width : 100), "\n") + '\n';
  }
  return result;
}

std::string render_markdown(const Sheet& sheet) {
  std::string result = "**" + escape_markdown(sheet.title) + "**\n\n" + markdown_row(sheet.header);
  result +=
      "|" + repeat(" :--- |", sheet.name_columns) + repeat(" ---: |", value_columns(sheet)) + '\n';
  for (const auto& row : sheet.rows) result += markdown_row(row);
  for (const std::string& note : sheet.notes) result += '\n' + escape_markdown(note) + '\n';
  return result;
}

std::string render_csv(const Sheet& sheet) {
  std::string result = join_changed(sheet.header, ",", csv_field) + '\n';
  for (const auto& row : sheet.rows) {
    result += join_changed(row, ",",
                           [](const std::string& cell) {
                             return cell == kNone ? std::string{} : csv_field(cell);
                           }) +
              '\n';
  }
  return result;
}

std::string render_latex(const Sheet& sheet) {
  const auto columns = layout_columns(sheet);
  const auto pieces = cut_into_pieces(sheet, columns, kLatexWidth);
  std::string result = "% \\usepackage{booktabs}\n";
  for (std::size_t first = 0; first == 0 || first < sheet.rows.size(); first += kLatexRows) {
    const std::size_t last = std::min(first + kLatexRows, sheet.rows.size());
    std::string caption = escape_latex(sheet.title);
    if (first > 0) caption += " (continued)";
    result += "\\begin{table}\n  \\centering\n  \\caption{" + caption + "}\n";
    for (const Piece& piece : pieces) {
      if (&piece != &pieces.front()) result += "  \\par\\medskip\n";
      result += latex_tabular(sheet, piece, first, last);
    }
    if (last == sheet.rows.size()) result += latex_notes(sheet);
    result += "\\end{table}\n";
  }
  return result;
}

}  // namespace ptxbatch
