#include "analysis/paper_facts.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <optional>

#include "analysis/pack_tokens.h"
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

}  // namespace

Result<int> months_between(const std::string& from, const std::string& to) {
  const auto first = month_number(from);
  const auto second = month_number(to);
  if (first && second) return *second - *first;
  return fail(ErrorKind::kInput, "'" + (first ? to : from) + "' is no month, as in 2022-12");
}

Result<Sheet> paper_facts(const std::string& folder, const std::vector<std::string>& packs,
                          const PaperTable& table) {
  switch (table.number) {
    case 2:
      return model_ages(folder, table);
    case 5:
      return as_it_is(folder + "/instruction_families.csv", table,
                      {"gpu", "opcodes", "left out", "what they do"},
                      {table.row_header, "Opcodes in SASS that", "Left out", "What they do"}, 4);
    case 6:
      return pack_tokens(folder + "/pack_tokens.csv", packs, table);
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
