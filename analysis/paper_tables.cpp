#include "analysis/paper_tables.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/paper_facts.h"
#include "analysis/paper_layout.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

// A column of cells: a problem, or a metric where there are several.
struct PaperColumn {
  std::string header;
  TableKind kind = TableKind::kCorrectness;
  std::string problem;
};

std::vector<PaperColumn> columns_of(const PaperLayout& layout,
                                    const std::vector<std::string>& problems) {
  std::vector<PaperColumn> columns;
  for (const PaperMetric metric : layout.metrics) {
    for (const std::string& problem : problems) {
      std::string header = problem;
      if (layout.metrics.size() > 1) {
        header += ": " + std::string(kind_text(kind_of(metric)).title);
      }
      columns.push_back({std::move(header), kind_of(metric), problem});
    }
  }
  return columns;
}

std::vector<std::optional<std::uint32_t>> cells_of(const ConditionGrid& grid,
                                                   const std::string& problem) {
  const auto found = std::find(grid.problems.begin(), grid.problems.end(), problem);
  const auto column = static_cast<std::size_t>(found - grid.problems.begin());
  std::vector<std::optional<std::uint32_t>> cells;
  for (const ConditionGrid::Row& row : grid.rows) cells.push_back(row.cells[column]);
  return cells;
}

// The problems that the grid has, in the paper's order.
std::vector<std::string> problems_in_order(const PaperLayout& layout, const ConditionGrid& grid) {
  std::vector<std::string> problems;
  for (const std::string& problem : layout.problems) {
    const auto found = std::find(grid.problems.begin(), grid.problems.end(), problem);
    if (found != grid.problems.end()) problems.push_back(problem);
  }
  return problems;
}

Sheet paper_sheet(const TableNumbers& numbers, const std::vector<std::uint32_t>& shown,
                  const PaperLayout& layout, const CellStyle& style) {
  const ConditionGrid grid = arrange(numbers.conditions, shown);
  Sheet sheet;
  sheet.title = fmt::format("Table {}: {}", layout.table.number, layout.table.title);
  sheet.header = {"GPU", layout.table.row_header};
  if (style.intervals) sheet.header.emplace_back("Counted");
  sheet.name_columns = sheet.header.size();
  for (const ConditionGrid::Row& row : grid.rows) {
    add_score_rows(sheet, {row.target, row.model}, style);
  }
  for (const PaperColumn& column : columns_of(layout, problems_in_order(layout, grid))) {
    add_score_column(sheet, column.header, column.kind, numbers.scored,
                     cells_of(grid, column.problem), style);
  }
  for (const PaperMetric metric : layout.metrics) {
    add_score_notes(sheet, numbers, shown, kind_of(metric), style);
  }
  std::vector<Sheet> alone = {std::move(sheet)};
  share_notes(alone);  // two metrics say some of it twice
  return std::move(alone.front());
}

void add_csv_rows(const TableNumbers& numbers, std::uint32_t condition, const PaperLayout& layout,
                  PaperMetric metric, std::string& csv) {
  const Condition& of = numbers.conditions.list[condition];
  const TableKind kind = kind_of(metric);
  for (std::size_t limit = 0; limit < numbers.scored.limits.size(); ++limit) {
    const LimitScore& at = numbers.scored.scores[condition][limit];
    for (const bool with_target : {true, false}) {
      const std::string text =
          value_text(kind, value_of(kind, at, with_target ? at.with_target : at.unrestricted));
      std::vector<std::string> row = {std::to_string(layout.table.number),
                                      std::string(kind_text(kind).metric),
                                      of.target,
                                      of.model,
                                      of.problem,
                                      std::to_string(at.limit),
                                      with_target ? "target_instruction" : "unrestricted",
                                      text == kNone ? "" : text};
      if (const auto* trajectories = numbers.scored.of(condition, limit, with_target)) {
        const auto ends = interval_fields(kind, interval_of(kind, *trajectories));
        row.insert(row.end(), ends.begin(), ends.end());
      }
      csv += join_changed(row, ",", csv_field) + '\n';
    }
  }
}

std::string paper_csv(const TableNumbers& numbers, const std::vector<std::uint32_t>& shown,
                      const PaperLayout& layout, bool intervals) {
  std::string csv = "table,metric,gpu,row,problem,turns,restriction,value";
  csv += intervals ? ",low,high\n" : "\n";
  for (const PaperMetric metric : layout.metrics) {
    for (const std::uint32_t condition : shown) {
      add_csv_rows(numbers, condition, layout, metric, csv);
    }
  }
  return csv;
}

}  // namespace

bool needs_results(const PaperValues& values, std::int32_t number) {
  const auto numeric = numeric_paper_tables(values);
  return std::find(numeric.begin(), numeric.end(), number) != numeric.end();
}

Result<std::string> render_paper_table(const std::vector<TurnTable>& tables,
                                       const PaperValues& values, const std::string& folder,
                                       std::int32_t number, const PaperTableOptions& options) {
  const PaperLayout layout = paper_layout(values, number);
  if (!needs_results(values, number)) {
    const auto sheet = paper_facts(folder, options.packs, layout.table);
    if (!sheet) return fail(sheet.error());
    return options.format == TableFormat::kCsv
               ? render_csv(*sheet)
               : render_sheet(*sheet, options.format, options.width);
  }
  std::vector<PublishedExperiment> selections;
  for (const TurnTable& table : tables) {
    auto selection = paper_selection(table);
    if (!selection) return fail(selection.error());
    selections.push_back(std::move(*selection));
  }
  PaperGrouping grouping = group_for_paper(tables, selections, layout);
  if (grouping.shown.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("nothing in these files belongs to Table {} of the paper", number),
                "It has the problems " + join(layout.problems, ", ") + " on GPUs. " +
                    join(grouping.notes, " ") + (grouping.notes.empty() ? "" : " ") +
                    "'ptxbatch tables' without --paper shows what the files have.");
  }
  const TableNumbers numbers(tables, std::move(grouping.conditions), layout.limits,
                             SpeedupKind::kPaper, options.intervals);
  if (options.format == TableFormat::kCsv) {
    return paper_csv(numbers, grouping.shown, layout, options.intervals);
  }
  Sheet sheet = paper_sheet(numbers, grouping.shown, layout, {options.format, options.intervals});
  sheet.notes.insert(sheet.notes.end(), grouping.notes.begin(), grouping.notes.end());
  return render_sheet(sheet, options.format, options.width);
}

}  // namespace ptxbatch
