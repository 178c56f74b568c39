#include "analysis/tables.h"

#include <spdlog/fmt/fmt.h>

#include <optional>
#include <utility>

#include "analysis/coverage.h"
#include "analysis/metrics.h"
#include "analysis/sheet.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kHostTarget = "host";

// Begins a sheet with the columns that name the rows. With a single target the title names it.
Sheet begin_sheet(std::string_view title, const ConditionGrid& grid) {
  Sheet sheet;
  sheet.title = title;
  sheet.header = {"Model"};
  if (grid.several_targets) {
    sheet.header.insert(sheet.header.begin(), "Target");
  } else {
    sheet.title += ", target " + grid.rows.front().target;
  }
  sheet.name_columns = sheet.header.size();
  return sheet;
}

std::vector<std::string> row_names(const ConditionGrid& grid, const ConditionGrid::Row& row) {
  if (grid.several_targets) return {row.target, row.model};
  return {row.model};
}

std::vector<std::string> outcome_row(const ConditionGrid& grid, const ConditionGrid::Row& row,
                                     const std::string& problem, const LabelCounts& counts) {
  std::vector<std::string> cells = row_names(grid, row);
  cells.push_back(problem);
  for (const std::int64_t turns : counts.turns) cells.push_back(count_text(turns));
  cells.push_back(count_text(counts.total()));
  return cells;
}

Sheet outcome_sheet(const TableNumbers& numbers, const std::vector<std::uint32_t>& which) {
  const ConditionGrid grid = arrange(numbers.conditions, which);
  Sheet sheet = begin_sheet(kind_text(TableKind::kOutcomes).title, grid);
  sheet.header.emplace_back("Problem");
  sheet.name_columns = sheet.header.size();
  for (int label = 0; label < kLabelCount; ++label) {
    sheet.header.emplace_back(label_name(static_cast<Label>(label)));
  }
  sheet.header.emplace_back("All turns");
  for (const ConditionGrid::Row& row : grid.rows) {
    for (std::size_t problem = 0; problem < grid.problems.size(); ++problem) {
      if (const auto condition = row.cells[problem]) {
        sheet.rows.push_back(
            outcome_row(grid, row, grid.problems[problem], numbers.labels[*condition]));
      }
    }
  }
  add_run_notes(sheet, numbers, which);
  return sheet;
}

std::string render_sheets(const TableNumbers& numbers, const TableOptions& options) {
  std::vector<std::string> texts;
  for (const auto& group : comparable_groups(numbers.conditions)) {
    std::vector<Sheet> sheets;
    for (const TableKind kind : options.kinds) {
      sheets.push_back(kind == TableKind::kOutcomes ? outcome_sheet(numbers, group)
                                                    : score_sheet(numbers, group, kind, options));
    }
    // LaTeX tables are taken apart by their reader, so each keeps its own notes.
    if (options.format != TableFormat::kLatex) share_notes(sheets);
    for (const Sheet& sheet : sheets)
      texts.push_back(render_sheet(sheet, options.format, options.width));
  }
  return texts.empty() ? "No trajectories: there is nothing to tabulate.\n" : join(texts, "\n");
}

// Copies, when there is something to change.
std::vector<TurnTable> with_coverage(const std::vector<TurnTable>& tables, double least) {
  if (least <= 0) return {};
  std::vector<TurnTable> result = tables;
  for (TurnTable& table : result) require_coverage(table, least);
  return result;
}

std::string csv_row(const std::vector<std::string>& fields) {
  return join_changed(fields, ",", csv_field) + '\n';
}

std::string csv_value(TableKind kind, double value) {
  if (value == 0) return {};
  return fmt::format("{:.6g}", kind == TableKind::kBestSpeedup ? value : 100 * value);
}

std::string csv_scores(const TableNumbers& numbers, TableKind kind, SpeedupKind speedup) {
  const KindText text = kind_text(kind);
  const std::string metric(pick(text.metric, text.paired_metric, speedup));
  std::string result;
  for (std::size_t i = 0; i < numbers.scored.scores.size(); ++i) {
    const Condition& of = numbers.conditions.list[i];
    for (std::size_t limit = 0; limit < numbers.scored.limits.size(); ++limit) {
      const LimitScore& at = numbers.scored.scores[i][limit];
      const std::vector<std::string> front = {metric, of.target, of.model, of.problem,
                                              std::to_string(at.limit)};
      for (const bool restricted : {true, false}) {
        const Score& score = restricted ? at.with_target : at.unrestricted;
        std::vector<std::string> row = front;
        row.emplace_back(restricted ? "target_instruction" : "unrestricted");
        row.emplace_back();
        row.push_back(csv_value(kind, value_of(kind, at, score)));
        if (const auto* trajectories = numbers.scored.of(i, limit, restricted)) {
          const auto ends = interval_fields(kind, interval_of(kind, *trajectories));
          row.insert(row.end(), ends.begin(), ends.end());
        }
        result += csv_row(row);
      }
    }
  }
  return result;
}

std::string csv_outcomes(const TableNumbers& numbers, bool intervals) {
  const std::string metric(kind_text(TableKind::kOutcomes).metric);
  std::string result;
  for (std::size_t i = 0; i < numbers.labels.size(); ++i) {
    const Condition& of = numbers.conditions.list[i];
    for (int label = 0; label < kLabelCount; ++label) {
      std::vector<std::string> row = {
          metric,
          of.target,
          of.model,
          of.problem,
          "",
          "",
          std::string(label_name(static_cast<Label>(label))),
          std::to_string(numbers.labels[i].turns.at(static_cast<std::size_t>(label)))};
      if (intervals) row.resize(row.size() + 2);  // a count has none
      result += csv_row(row);
    }
  }
  return result;
}

std::string render_csv(const TableNumbers& numbers, const TableOptions& options) {
  std::string result = "metric,target,model,problem,turns,restriction,label,value";
  result += options.intervals ? ",low,high\n" : "\n";
  for (const TableKind kind : options.kinds) {
    result += kind == TableKind::kOutcomes ? csv_outcomes(numbers, options.intervals)
                                           : csv_scores(numbers, kind, options.speedup);
  }
  return result;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> comparable_groups(const Conditions& conditions) {
  std::vector<std::uint32_t> host;
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < conditions.list.size(); ++i) {
    (conditions.list[i].target == kHostTarget ? host : others).push_back(i);
  }
  std::vector<std::vector<std::uint32_t>> groups = {std::move(others), std::move(host)};
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

Sheet score_sheet(const TableNumbers& numbers, const std::vector<std::uint32_t>& which,
                  TableKind kind, const TableOptions& options) {
  const ConditionGrid grid = arrange(numbers.conditions, which);
  const KindText text = kind_text(kind);
  Sheet sheet = begin_sheet(pick(text.title, text.paired_title, options.speedup), grid);
  const CellStyle style{options.format, options.intervals};
  for (const ConditionGrid::Row& row : grid.rows) {
    add_score_rows(sheet, row_names(grid, row), style);
  }
  if (options.intervals) {
    sheet.header.emplace_back("Counted");
    sheet.name_columns = sheet.header.size();
  }
  for (std::size_t problem = 0; problem < grid.problems.size(); ++problem) {
    std::vector<std::optional<std::uint32_t>> column;
    for (const ConditionGrid::Row& row : grid.rows) column.push_back(row.cells[problem]);
    add_score_column(sheet, grid.problems[problem], kind, numbers.scored, column, style);
  }
  add_score_notes(sheet, numbers, which, kind, style);
  if (options.min_coverage > 0) {
    sheet.notes.push_back(
        fmt::format("Target instruction: only where what was executed of it covers at least {:.3g} "
                    "of the problem's operations.",
                    options.min_coverage));
  }
  add_device_note(sheet, numbers, which);
  return sheet;
}

std::string render_tables(const std::vector<TurnTable>& tables, const TableOptions& options) {
  const std::vector<TurnTable> covered = with_coverage(tables, options.min_coverage);
  const std::vector<TurnTable>& counted = options.min_coverage > 0 ? covered : tables;
  const TableNumbers numbers(counted, group_trajectories(counted),
                             capped_limits(counted, options.turns), options.speedup,
                             options.intervals);
  return options.format == TableFormat::kCsv ? render_csv(numbers, options)
                                             : render_sheets(numbers, options);
}

}  // namespace ptxbatch
