#include "results/paper_values.h"

#include <algorithm>
#include <optional>

#include "common/csv.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kLastTable = 10;
constexpr std::int64_t kMostTurns = 1000;

std::optional<PaperMetric> metric_from_name(const std::string& name) {
  if (name == "turn_correctness_pct") return PaperMetric::kTurnCorrectness;
  if (name == "best_speedup") return PaperMetric::kBestSpeedup;
  return std::nullopt;
}

Status read_tables(const std::string& path, PaperValues& values) {
  const auto csv = CsvFile::read(path, {"table", "title", "rows"});
  if (!csv) return fail(csv.error());
  for (std::size_t row = 0; row < csv->size(); ++row) {
    const auto number = csv->integer(row, 0, 1, kLastTable);
    if (!number) return fail(number.error());
    values.tables.push_back(
        {static_cast<std::int32_t>(*number), csv->text(row, 1), csv->text(row, 2)});
  }
  return {};
}

Status read_problems(const std::string& path, PaperValues& values) {
  const auto csv = CsvFile::read(path, {"problem", "definition", "workload"});
  if (!csv) return fail(csv.error());
  for (std::size_t row = 0; row < csv->size(); ++row) {
    values.problems.push_back({csv->text(row, 0), csv->text(row, 1), csv->text(row, 2)});
  }
  return {};
}

enum Column : std::size_t { kTable, kMetric, kGpu, kRow, kProblem, kTurns, kRestriction, kValue };

Result<PaperCell> read_cell(const CsvFile& csv, std::size_t row) {
  const auto table = csv.integer(row, kTable, 1, kLastTable);
  if (!table) return fail(table.error());
  const auto turns = csv.integer(row, kTurns, 1, kMostTurns);
  if (!turns) return fail(turns.error());
  const auto metric = metric_from_name(csv.text(row, kMetric));
  if (!metric) return fail(csv.error(row, kMetric, "is no metric of the paper"));
  const std::string& restriction = csv.text(row, kRestriction);
  if (restriction != "target_instruction" && restriction != "unrestricted") {
    return fail(csv.error(row, kRestriction, "is neither target_instruction nor unrestricted"));
  }
  if (!csv.text(row, kValue).empty()) {
    if (const auto value = csv.number(row, kValue); !value) return fail(value.error());
  }
  return PaperCell{static_cast<std::int32_t>(*table),
                   *metric,
                   csv.text(row, kGpu),
                   csv.text(row, kRow),
                   csv.text(row, kProblem),
                   static_cast<std::int32_t>(*turns),
                   restriction == "target_instruction",
                   csv.text(row, kValue)};
}

Status read_cells(const std::string& path, PaperValues& values) {
  const auto csv = CsvFile::read(
      path, {"table", "metric", "gpu", "row", "problem", "turns", "restriction", "value"});
  if (!csv) return fail(csv.error());
  for (std::size_t row = 0; row < csv->size(); ++row) {
    auto cell = read_cell(*csv, row);
    if (!cell) return fail(cell.error());
    const bool known =
        std::any_of(values.problems.begin(), values.problems.end(),
                    [&](const PaperProblem& problem) { return problem.name == cell->problem; });
    if (!known) return fail(csv->error(row, kProblem, "is not in problems.csv"));
    values.cells.push_back(std::move(*cell));
  }
  return {};
}

}  // namespace

Result<PaperValues> read_paper_values(const std::string& folder) {
  PaperValues values;
  PTXBATCH_RETURN_IF_ERROR(read_tables(folder + "/tables.csv", values));
  PTXBATCH_RETURN_IF_ERROR(read_problems(folder + "/problems.csv", values));
  PTXBATCH_RETURN_IF_ERROR(read_cells(folder + "/cells.csv", values));
  return values;
}

}  // namespace ptxbatch
