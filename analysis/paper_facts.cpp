#include "analysis/paper_facts.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <map>
#include <optional>

#include "analysis/text.h"
#include "common/csv.h"

namespace ptxbatch {
namespace {

Sheet begin_sheet(const PaperTable& table) {
  Sheet sheet;
  sheet.title = fmt::format("Table {}: {}", table.number, table.title);
  return sheet;
}

// "2022-12" as months since year 0.
std::optional<int> month_number(std::string_view text) {
  int year = 0;
  int month = 0;
  if (text.size() != 7 || text[4] != '-') return std::nullopt;
  const auto read = [](std::string_view digits, int& value) {
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failed == std::errc() && end == digits.data() + digits.size();
  };
  if (!read(text.substr(0, 4), year) || !read(text.substr(5), month)) return std::nullopt;
  if (month < 1 || month > 12) return std::nullopt;
  return 12 * year + month;
}

// 18601: "18,601".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

// A CSV file as it is, its columns under other names.
Result<Sheet> as_it_is(const std::string& path, const PaperTable& table,
                       const std::vector<std::string>& columns,
                       const std::vector<std::string>& header, std::size_t name_columns) {
  const auto csv = CsvFile::read(path, columns);
  if (!csv) return fail(csv.error());
  Sheet sheet = begin_sheet(table);
  sheet.header = header;
  sheet.name_columns = name_columns;
  for (std::size_t row = 0; row < csv->size(); ++row) {
    auto& cells = sheet.rows.emplace_back();
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const std::string& text = csv->text(row, column);
      cells.push_back(text.empty() ? std::string(kNone) : text);
    }
  }
  return sheet;
}

Result<Sheet> model_ages(const std::string& folder, const PaperTable& table) {
  const auto releases = CsvFile::read(folder + "/isa_releases.csv", {"gpu", "isa", "date"});
  if (!releases) return fail(releases.error());
  const auto models = CsvFile::read(folder + "/models.csv", {"model", "date", "what"});
  if (!models) return fail(models.error());
  Sheet sheet = begin_sheet(table);
  sheet.header = {table.row_header, "Date", "Of"};
  sheet.name_columns = sheet.header.size();
  for (std::size_t isa = 0; isa < releases->size(); ++isa) {
    sheet.header.push_back(fmt::format("{}: PTX ISA {}, {}", releases->text(isa, 0),
                                       releases->text(isa, 1), releases->text(isa, 2)));
  }
  for (std::size_t model = 0; model < models->size(); ++model) {
    auto& row = sheet.rows.emplace_back();
    for (std::size_t column = 0; column < 3; ++column) row.push_back(models->text(model, column));
    const bool is_bound = models->text(model, 2) == "release";
    for (std::size_t isa = 0; isa < releases->size(); ++isa) {
      const auto months = months_between(releases->text(isa, 2), models->text(model, 1));
      if (!months) return fail(months.error());
      row.push_back((is_bound ? "≤ " : "") + std::to_string(*months));
    }
  }
  sheet.notes = {
      "Months from the release of the PTX ISA to the model's knowledge cutoff; where the "
      "cutoff is not known, to its release, an upper bound (≤)."};
  return sheet;
}

Result<Sheet> pack_tokens(const std::string& folder, const PaperTable& table) {
  const auto csv = CsvFile::read(folder + "/pack_tokens.csv", {"pack", "part", "tokens"});
  if (!csv) return fail(csv.error());
  Sheet sheet = begin_sheet(table);
  sheet.header = {table.row_header};
  std::map<std::string, std::size_t> columns;
  std::map<std::string, std::size_t> rows;
  std::vector<std::int64_t> sums;
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < csv->size(); ++i) {
    const auto tokens = csv->integer(i, 2, 0, 1'000'000'000);
    if (!tokens) return fail(tokens.error());
    const auto [row, new_row] = rows.try_emplace(csv->text(i, 0), rows.size());
    if (new_row) {
      cells.push_back({csv->text(i, 0)});
      sums.push_back(0);
    }
    const auto [column, new_column] = columns.try_emplace(csv->text(i, 1), columns.size() + 1);
    if (new_column) sheet.header.push_back(csv->text(i, 1));
    auto& line = cells[row->second];
    line.resize(std::max(line.size(), column->second + 1), std::string(kNone));
    line[column->second] = grouped(*tokens);
    sums[row->second] += *tokens;
  }
  for (std::size_t row = 0; row < cells.size(); ++row) {
    cells[row].resize(sheet.header.size(), std::string(kNone));
    cells[row].push_back(grouped(sums[row]));
  }
  sheet.header.emplace_back("Sum");
  sheet.rows = std::move(cells);
  sheet.notes = {
      "The paper's packs as it counts them; this program's with o200k_base "
      "(docs/knowledge_packs.md)."};
  return sheet;
}

}  // namespace

Result<int> months_between(const std::string& from, const std::string& to) {
  const auto first = month_number(from);
  const auto second = month_number(to);
  if (first && second) return *second - *first;
  return fail(ErrorKind::kInput, "'" + (first ? to : from) + "' is no month, as in 2022-12");
}

Result<Sheet> paper_facts(const std::string& folder, const PaperTable& table) {
  switch (table.number) {
    case 2:
      return model_ages(folder, table);
    case 5:
      return as_it_is(folder + "/instruction_families.csv", table,
                      {"gpu", "opcodes", "left out", "what they do"},
                      {table.row_header, "Opcodes in SASS that", "Left out", "What they do"}, 4);
    case 6:
      return pack_tokens(folder, table);
    case 10:
      return as_it_is(folder + "/recipes.csv", table,
                      {"label", "operators", "template", "synthesizer", "records"},
                      {table.row_header, "Operators", "Template", "Synthesizer", "Records"}, 4);
    default:
      return fail(ErrorKind::kUsage, fmt::format("the paper has no Table {}", table.number),
                  "It has Tables 1 to 10.");
  }
}

}  // namespace ptxbatch
