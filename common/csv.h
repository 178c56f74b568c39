// CSV files with a header line, read whole: RFC 4180 (quotes, CR LF), UTF-8. Errors name file,
// line, column and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

class CsvFile {
 public:
  /// Reads the file and finds these columns in its header; others are left out. Every row has as
  /// many fields as the header.
  static Result<CsvFile> read(const std::string& path, const std::vector<std::string>& columns);
  static Result<CsvFile> parse(std::string_view text, const std::string& path,
                               const std::vector<std::string>& columns);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// `column` counts the columns asked for.
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const {
    return rows_[row].fields[column].text;
  }
  [[nodiscard]] Result<double> number(std::size_t row, std::size_t column) const;
  [[nodiscard]] Result<std::int64_t> integer(std::size_t row, std::size_t column,
                                             std::int64_t least, std::int64_t most) const;
  [[nodiscard]] int line(std::size_t row) const { return rows_[row].line; }
  /// kInput at this field: "COLUMN WHAT".
  [[nodiscard]] Error error(std::size_t row, std::size_t column, const std::string& what,
                            std::string hint = {}) const;

 private:
  struct Field {
    std::string text;
    int column = 0;  // where it begins in its line, from 1
  };
  struct Row {
    std::vector<Field> fields;
    int line = 0;
  };
  friend class CsvParser;

  std::string path_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace ptxbatch
