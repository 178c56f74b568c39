#include "common/csv.h"

#include <algorithm>
#include <charconv>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

Error input_error(const std::string& path, int line, int column, std::string what,
                  std::string hint) {
  return Error{ErrorKind::kInput, std::move(what), std::move(hint), path, line, column, {}};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

/// Takes a text apart, record by record.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& path) : text_(text), path_(path) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) skip(kByteOrderMark.size());
    line_start_ = at_;
  }

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }

  Result<CsvFile::Row> next() {
    CsvFile::Row row;
    row.line = line_;
    while (true) {
      auto field = next_field();
      if (!field) return fail(field.error());
      row.fields.push_back(std::move(*field));
      if (done()) return row;
      const char end = text_[at_];
      skip(1);
      if (end == ',') continue;
      ++line_;
      line_start_ = at_;
      return row;
    }
  }

 private:
  void skip(std::size_t count) { at_ += count; }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  Result<CsvFile::Field> next_field() {
    CsvFile::Field field;
    field.column = column();
    if (!done() && text_[at_] == '"') return quoted(std::move(field));
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    field.text = text_.substr(at_, end - at_);
    if (field.text.ends_with('\r') && (end == text_.size() || text_[end] == '\n')) {
      field.text.pop_back();
    }
    at_ = end;
    return field;
  }

  Result<CsvFile::Field> quoted(CsvFile::Field field) {
    const int line = line_;
    const auto broken = [&](std::string what) {
      return fail(input_error(path_, line, field.column, std::move(what),
                              R"(A quoted field ends with ", and a " in it is written "".)"));
    };
    skip(1);
    while (true) {
      if (done()) return broken("the quoted field has no end");
      const char c = text_[at_];
      skip(1);
      if (c == '"') {
        if (done() || text_[at_] != '"') break;
        skip(1);
      }
      if (c == '\n') {
        ++line_;
        line_start_ = at_;
      }
      field.text += c;
    }
    if (!done() && text_[at_] == '\r') skip(1);
    if (!done() && text_[at_] != ',' && text_[at_] != '\n') {
      return broken("the quoted field goes on after its end");
    }
    return field;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

namespace {

// Where the wanted columns stand in the header.
Result<std::vector<std::size_t>> find_columns(const std::vector<std::string>& header,
                                              const std::vector<std::string>& wanted,
                                              const std::string& path) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) {
      return fail(input_error(path, 1, 0, "the header has no column '" + name + "'",
                              "Expected: " + joined(wanted) + ". Found: " + joined(header) + "."));
    }
    if (std::find(found + 1, header.end(), name) != header.end()) {
      return fail(input_error(path, 1, 0, "the header has the column '" + name + "' twice", {}));
    }
    places.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return places;
}

}  // namespace

Result<CsvFile> CsvFile::read(const std::string& path, const std::vector<std::string>& columns) {
  auto text = read_text(path);
  if (!text) return fail(text.error());
  return parse(*text, path, columns);
}

Result<CsvFile> CsvFile::parse(std::string_view text, const std::string& path,
                               const std::vector<std::string>& columns) {
  if (text.empty()) {
    return fail(input_error(path, 0, 0, "the file is empty",
                            "Expected a CSV file with the columns " + joined(columns) + "."));
  }
  CsvParser parser(text, path);
  auto header = parser.next();
  if (!header) return fail(header.error());
  std::vector<std::string> names;
  for (const Field& field : header->fields) names.push_back(field.text);
  const auto places = find_columns(names, columns, path);
  if (!places) return fail(places.error());

  CsvFile file;
  file.path_ = path;
  file.columns_ = columns;
  while (!parser.done()) {
    auto row = parser.next();
    if (!row) return fail(row.error());
    if (row->fields.size() != names.size()) {
      return fail(input_error(path, row->line, 0,
                              "the row has " + std::to_string(row->fields.size()) +
                                  " fields; the header has " + std::to_string(names.size()),
                              "The file may have been cut off or edited."));
    }
    Row kept;
    kept.line = row->line;
    for (const std::size_t place : *places) kept.fields.push_back(std::move(row->fields[place]));
    file.rows_.push_back(std::move(kept));
  }
  return file;
}

Result<double> CsvFile::number(std::size_t row, std::size_t column) const {
  const std::string& field = text(row, column);
  double value = 0;
  const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool finite = value - value == 0;
  if (failed == std::errc() && end == field.data() + field.size() && finite) return value;
  return fail(error(row, column, "is '" + field + "', expected a number"));
}

Result<std::int64_t> CsvFile::integer(std::size_t row, std::size_t column, std::int64_t least,
                                      std::int64_t most) const {
  const std::string& field = text(row, column);
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (failed == std::errc() && end == field.data() + field.size() && value >= least &&
      value <= most) {
    return value;
  }
  return fail(error(row, column,
                    "is '" + field + "', expected a whole number from " + std::to_string(least) +
                        " to " + std::to_string(most)));
}

Error CsvFile::error(std::size_t row, std::size_t column, const std::string& what,
                     std::string hint) const {
  return input_error(path_, rows_[row].line, rows_[row].fields[column].column,
                     columns_[column] + " " + what, std::move(hint));
}

}  // namespace ptxbatch
