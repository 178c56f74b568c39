#include "analysis/tables.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/metrics.h"
#include "analysis/sheet.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kHostTarget = "host";

// Everything that a table is made of, computed once.
struct Numbers {
  Numbers(std::span<const TurnTable> all, const TableOptions& options)
      : tables(all),
        conditions(group_trajectories(all)),
        limits(capped_limits(all, options.turns)),
        scores(score_turns(all, conditions, limits, options.speedup)),
        labels(count_labels(all, conditions)) {}

  std::span<const TurnTable> tables;
  Conditions conditions;
  std::vector<std::int32_t> limits;
  std::vector<std::vector<LimitScore>> scores;  // [condition][limit]
  std::vector<LabelCounts> labels;              // [condition]
};

// What is said of one kind of table, whatever its format.
struct KindText {
  std::string_view title;
  std::string_view paired_title;  // with SpeedupKind::kPaired; empty: the same
  std::string_view metric;        // in CSV
  std::string_view paired_metric;
  std::string_view definition;
};

KindText kind_text(TableKind kind) {
  switch (kind) {
    case TableKind::kCorrectness:
      return {"Turn correctness (%)", "", "turn_correctness_pct", "",
              "Turn correctness: correct turns over all turns that the trajectories may take; a "
              "missing turn counts as not correct."};
    case TableKind::kBestSpeedup:
      return {"Best speedup (×)", "Best speedup (×), measured in pairs", "best_speedup",
              "best_paired_speedup",
              "Best speedup: latency of the reference over that of the fastest correct turn."};
    case TableKind::kPass:
      return {"Trajectories with a correct turn (%)", "", "pass_pct", "", ""};
    case TableKind::kOutcomes:
      return {"Turns by outcome", "", "turns_with_label", "", ""};
  }
  return {};
}

std::string_view pick(std::string_view text, std::string_view paired, SpeedupKind kind) {
  return kind == SpeedupKind::kPaired && !paired.empty() ? paired : text;
}

double value_of(TableKind kind, const LimitScore& at, const Score& score) {
  switch (kind) {
    case TableKind::kCorrectness:
      return at.correctness(score);
    case TableKind::kPass:
      return at.pass(score);
    default:
      return score.best_speedup;
  }
}

std::string value_text(TableKind kind, double value) {
  return kind == TableKind::kBestSpeedup ? speedup_text(value) : percent_text(value);
}

// The numbers of one cell: those with the target instruction, then the unrestricted ones.
std::vector<std::string> cell_numbers(TableKind kind, const std::vector<LimitScore>& scores) {
  std::vector<std::string> result;
  result.reserve(2 * scores.size());
  for (const LimitScore& at : scores) {
    result.push_back(value_text(kind, value_of(kind, at, at.with_target)));
  }
  for (const LimitScore& at : scores) {
    result.push_back(value_text(kind, value_of(kind, at, at.unrestricted)));
  }
  return result;
}

// "a / b / c (a / b / c)", each number at least as wide as `widths` says.
std::string cell_text(const std::vector<std::string>& numbers,
                      const std::vector<std::size_t>& widths) {
  std::vector<std::string> padded;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    padded.push_back(pad_left(numbers[i], widths[i]));
  }
  const auto middle = padded.begin() + static_cast<std::ptrdiff_t>(padded.size() / 2);
  return join({padded.begin(), middle}, " / ") + " (" + join({middle, padded.end()}, " / ") + ")";
}

// On a terminal the numbers of a column stand under each other; elsewhere the reader's program
// sets the type.
std::vector<std::size_t> number_widths(const std::vector<std::vector<std::string>>& column,
                                       std::size_t numbers, TableFormat format) {
  std::vector<std::size_t> widths(numbers, 0);
  if (format != TableFormat::kTerminal) return widths;
  for (const auto& cell : column) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cell[i]));
    }
  }
  return widths;
}

void add_score_column(Sheet& sheet, const Numbers& numbers, const ConditionGrid& grid,
                      std::size_t problem, TableKind kind, TableFormat format) {
  std::vector<std::vector<std::string>> column;
  for (const ConditionGrid::Row& row : grid.rows) {
    const auto condition = row.cells[problem];
    column.push_back(condition ? cell_numbers(kind, numbers.scores[*condition])
                               : std::vector<std::string>{});
  }
  const auto widths = number_widths(column, 2 * numbers.limits.size(), format);
  sheet.header.push_back(grid.problems[problem]);
  for (std::size_t i = 0; i < column.size(); ++i) {
    sheet.rows[i].push_back(column[i].empty() ? std::string{} : cell_text(column[i], widths));
  }
}

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

std::string limits_text(const std::vector<std::int32_t>& limits) {
  return join_changed(limits, " / ", [](std::int32_t limit) { return std::to_string(limit); });
}

std::string legend(const Numbers& numbers) {
  return fmt::format(
      "A cell: within the first {} turns, counting only turns that executed the target instruction "
      "(in brackets: all correct turns); {} means none.",
      limits_text(numbers.limits), kNone);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// How many trajectories stand behind a cell: once when all agree, else one by one.
std::string trajectories_note(const Numbers& numbers, const std::vector<std::uint32_t>& which) {
  const auto& list = numbers.conditions.list;
  const std::int64_t first = list[which.front()].trajectories;
  const bool all_equal = std::all_of(which.begin(), which.end(), [&](std::uint32_t number) {
    return list[number].trajectories == first;
  });
  if (all_equal) {
    return counted(first, "trajectory", "trajectories") + " for each model and problem.";
  }
  std::vector<std::string> parts;
  for (const std::uint32_t number : which) {
    const Condition& of = list[number];
    parts.push_back(
        fmt::format("{}, {}, {}: {}", of.target, of.model, of.problem, of.trajectories));
  }
  return "Trajectories: " + join(parts, "; ") + ".";
}

std::string unfinished_note(const TurnTable& table) {
  return fmt::format(
      "Incomplete: {} has {} of at most {} turns so far; what is missing counts as not correct.",
      table.experiment_name, table.size(),
      table.trajectories.size() * static_cast<std::size_t>(table.max_turns));
}

bool contributes(const std::vector<Conditions::Place>& places,
                 const std::vector<std::uint32_t>& which) {
  return std::any_of(places.begin(), places.end(), [&](Conditions::Place place) {
    return std::find(which.begin(), which.end(), place.condition) != which.end();
  });
}

void add_run_notes(Sheet& sheet, const Numbers& numbers, const std::vector<std::uint32_t>& which) {
  for (std::size_t t = 0; t < numbers.tables.size(); ++t) {
    if (!contributes(numbers.conditions.places[t], which)) continue;
    const TurnTable& table = numbers.tables[t];
    if (!table.complete) sheet.notes.push_back(unfinished_note(table));
    if (!numbers.limits.empty() && table.max_turns < numbers.limits.back()) {
      sheet.notes.push_back(fmt::format("{} allows {}: its numbers stay as they are beyond.",
                                        table.experiment_name,
                                        counted(table.max_turns, "turn", "turns")));
    }
  }
}

void add_unknown_note(Sheet& sheet, const Numbers& numbers,
                      const std::vector<std::uint32_t>& which) {
  std::int64_t unknown = 0;
  for (const std::uint32_t number : which) unknown += numbers.labels[number].unknown_target;
  if (unknown == 0) return;
  sheet.notes.push_back("Target instruction unknown in " +
                        counted(unknown, "correct turn", "correct turns") +
                        ": not counted as executed.");
}

Sheet score_sheet(const Numbers& numbers, const std::vector<std::uint32_t>& which, TableKind kind,
                  const TableOptions& options) {
  const ConditionGrid grid = arrange(numbers.conditions, which);
  const KindText text = kind_text(kind);
  Sheet sheet = begin_sheet(pick(text.title, text.paired_title, options.speedup), grid);
  for (const ConditionGrid::Row& row : grid.rows) sheet.rows.push_back(row_names(grid, row));
  for (std::size_t problem = 0; problem < grid.problems.size(); ++problem) {
    add_score_column(sheet, numbers, grid, problem, kind, options.format);
  }
  sheet.notes.push_back(legend(numbers));
  if (!text.definition.empty()) sheet.notes.emplace_back(text.definition);
  sheet.notes.push_back(trajectories_note(numbers, which));
  add_unknown_note(sheet, numbers, which);
  add_run_notes(sheet, numbers, which);
  return sheet;
}

std::vector<std::string> outcome_row(const ConditionGrid& grid, const ConditionGrid::Row& row,
                                     const std::string& problem, const LabelCounts& counts) {
  std::vector<std::string> cells = row_names(grid, row);
  cells.push_back(problem);
  for (const std::int64_t turns : counts.turns) cells.push_back(count_text(turns));
  cells.push_back(count_text(counts.total()));
  return cells;
}

Sheet outcome_sheet(const Numbers& numbers, const std::vector<std::uint32_t>& which) {
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

// The host's conditions apart from the others', each group in plan order; no group is empty.
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

std::string render_sheet(const Sheet& sheet, const TableOptions& options) {
  switch (options.format) {
    case TableFormat::kMarkdown:
      return render_markdown(sheet);
    case TableFormat::kLatex:
      return render_latex(sheet);
    default:
      return render_terminal(sheet, options.width);
  }
}

// Tables that are read one after the other share their notes: each is said once, below the last.
// LaTeX tables are taken apart by their reader, so each keeps its own.
void share_notes(std::vector<Sheet>& sheets) {
  std::vector<std::string> shared;
  for (Sheet& sheet : sheets) {
    for (std::string& note : sheet.notes) {
      if (std::find(shared.begin(), shared.end(), note) == shared.end()) {
        shared.push_back(std::move(note));
      }
    }
    sheet.notes.clear();
  }
  if (!sheets.empty()) sheets.back().notes = std::move(shared);
}

std::string render_sheets(const Numbers& numbers, const TableOptions& options) {
  std::vector<std::string> texts;
  for (const auto& group : comparable_groups(numbers.conditions)) {
    std::vector<Sheet> sheets;
    for (const TableKind kind : options.kinds) {
      sheets.push_back(kind == TableKind::kOutcomes ? outcome_sheet(numbers, group)
                                                    : score_sheet(numbers, group, kind, options));
    }
    if (options.format != TableFormat::kLatex) share_notes(sheets);
    for (const Sheet& sheet : sheets) texts.push_back(render_sheet(sheet, options));
  }
  return texts.empty() ? "No trajectories: there is nothing to tabulate.\n" : join(texts, "\n");
}

std::string csv_row(const std::vector<std::string>& fields) {
  return join_changed(fields, ",", csv_field) + '\n';
}

std::string csv_value(TableKind kind, double value) {
  if (value == 0) return {};
  return fmt::format("{:.6g}", kind == TableKind::kBestSpeedup ? value : 100 * value);
}

std::string csv_scores(const Numbers& numbers, TableKind kind, SpeedupKind speedup) {
  const KindText text = kind_text(kind);
  const std::string metric(pick(text.metric, text.paired_metric, speedup));
  std::string result;
  for (std::size_t i = 0; i < numbers.scores.size(); ++i) {
    const Condition& of = numbers.conditions.list[i];
    for (const LimitScore& at : numbers.scores[i]) {
      const std::vector<std::string> front = {metric, of.target, of.model, of.problem,
                                              std::to_string(at.limit)};
      for (const bool restricted : {true, false}) {
        const Score& score = restricted ? at.with_target : at.unrestricted;
        std::vector<std::string> row = front;
        row.emplace_back(restricted ? "target_instruction" : "unrestricted");
        row.emplace_back();
        row.push_back(csv_value(kind, value_of(kind, at, score)));
        result += csv_row(row);
      }
    }
  }
  return result;
}

std::string csv_outcomes(const Numbers& numbers) {
  const std::string metric(kind_text(TableKind::kOutcomes).metric);
  std::string result;
  for (std::size_t i = 0; i < numbers.labels.size(); ++i) {
    const Condition& of = numbers.conditions.list[i];
    for (int label = 0; label < kLabelCount; ++label) {
      result +=
          csv_row({metric, of.target, of.model, of.problem, "", "",
                   std::string(label_name(static_cast<Label>(label))),
                   std::to_string(numbers.labels[i].turns.at(static_cast<std::size_t>(label)))});
    }
  }
  return result;
}

std::string render_csv(const Numbers& numbers, const TableOptions& options) {
  std::string result = "metric,target,model,problem,turns,restriction,label,value\n";
  for (const TableKind kind : options.kinds) {
    result += kind == TableKind::kOutcomes ? csv_outcomes(numbers)
                                           : csv_scores(numbers, kind, options.speedup);
  }
  return result;
}

}  // namespace

std::optional<TableFormat> table_format_from_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, TableFormat>, 4> kNames = {
      {{"terminal", TableFormat::kTerminal},
       {"markdown", TableFormat::kMarkdown},
       {"csv", TableFormat::kCsv},
       {"latex", TableFormat::kLatex}}};
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string render_tables(const std::vector<TurnTable>& tables, const TableOptions& options) {
  const Numbers numbers(tables, options);
  return options.format == TableFormat::kCsv ? render_csv(numbers, options)
                                             : render_sheets(numbers, options);
}

}  // namespace ptxbatch
