// A table as text cells with a title and notes, and the three forms that people read it in.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ptxbatch {

struct Sheet {
  std::string title;
  std::size_t name_columns = 1;  // the first columns name the row; they are left-aligned
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
  std::vector<std::string> notes;              // sentences below the table
};

/// Aligned columns under light rules, notes below. With width > 0 a table that is wider than that
/// many columns is cut into several, one below the other, that repeat the row names.
std::string render_terminal(const Sheet& sheet, std::size_t width);
std::string render_markdown(const Sheet& sheet);
/// Header and rows; title and notes have no place there.
std::string render_csv(const Sheet& sheet);
/// Needs the LaTeX package booktabs. What is wider than a page is cut into tabulars that repeat the
/// row names; what is longer goes on in further tables.
std::string render_latex(const Sheet& sheet);

}  // namespace ptxbatch
