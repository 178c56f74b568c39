#include "analysis/paper_check.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/paper_chance.h"
#include "analysis/paper_layout.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

std::string printed(const PaperCell& cell) {
  return cell.text.empty() ? std::string(kNone) : cell.text;
}

bool is_about(const KnownDifference& known, const PaperCell& cell) {
  const auto fits = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  return fits(known.row, cell.row) && fits(known.device, cell.device) &&
         fits(known.problem, cell.problem) &&
         fits(known.restriction, cell.with_target ? "target_instruction" : "unrestricted");
}

/// The numbers of one table.
class TableChecker {
 public:
  TableChecker(const std::vector<TurnTable>& tables,
               const std::vector<PublishedExperiment>& selections, const PaperLayout& layout)
      : selections_(selections),
        layout_(layout),
        grouping_(group_for_paper(tables, selections, layout)),
        numbers_(tables, grouping_.conditions, layout.limits, SpeedupKind::kPaper, true),
        has_own_turns_(numbers_.conditions.list.size(), false),
        is_unfinished_(numbers_.conditions.list.size(), false) {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      for (const Conditions::Place place : numbers_.conditions.places[t]) {
        if (selections[t].name.empty()) has_own_turns_[place.condition] = true;
        if (!tables[t].complete) is_unfinished_[place.condition] = true;
      }
    }
    for (const std::uint32_t number : grouping_.shown) {
      const Condition& of = numbers_.conditions.list[number];
      conditions_[{of.target, of.model, of.problem}] = number;
    }
  }

  [[nodiscard]] CheckedCell check(const PaperCell& cell) const {
    CheckedCell checked;
    checked.paper = cell;
    const auto found = conditions_.find({cell.device, cell.row, cell.problem});
    if (found == conditions_.end()) return checked;
    const auto limit = static_cast<std::size_t>(
        std::find(layout_.limits.begin(), layout_.limits.end(), cell.turns) -
        layout_.limits.begin());
    const TableKind kind = kind_of(cell.metric);
    const LimitScore& at = numbers_.scored.scores[found->second][limit];
    checked.here = value_text(
        kind, ptxbatch::value_of(kind, at, cell.with_target ? at.with_target : at.unrestricted));
    if (is_unfinished_[found->second]) {
      checked.state = CheckedCell::State::kUnfinished;
      return checked;
    }
    if (checked.here == printed(cell)) {
      checked.state = CheckedCell::State::kMatches;
      return checked;
    }
    checked.state = CheckedCell::State::kDiffers;
    if (!has_own_turns_[found->second] && explain_as_known(checked)) return checked;
    explain_by_chance(*numbers_.scored.of(found->second, limit, cell.with_target), checked);
    return checked;
  }

  /// What is said of the files, each once.
  void add_notes(std::vector<std::string>& notes) const {
    for (const std::string& note : grouping_.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }

 private:
  // What is known of published turns says nothing of others.
  bool explain_as_known(CheckedCell& checked) const {
    for (const PublishedExperiment& selection : selections_) {
      for (const KnownDifference& known : selection.differences) {
        if (!is_about(known, checked.paper)) continue;
        checked.cause = CheckedCell::Cause::kKnown;
        checked.reason = known.reason;
        return true;
      }
    }
    return false;
  }

  const std::vector<PublishedExperiment>& selections_;
  const PaperLayout& layout_;
  PaperGrouping grouping_;
  TableNumbers numbers_;
  std::vector<bool> has_own_turns_;  // [condition]: not from published turns alone
  std::vector<bool> is_unfinished_;  // [condition]: a run of it is
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> conditions_;
};

std::string cell_text(const CheckedCell& cell) {
  switch (cell.state) {
    case CheckedCell::State::kMatches:
      return cell.here;
    case CheckedCell::State::kDiffers:
      return cell.here + "≠" + printed(cell.paper);
    case CheckedCell::State::kUnfinished:
      return cell.here + "…";
    default:
      return "?≠" + printed(cell.paper);
  }
}

using CellKey = std::tuple<PaperMetric, std::string, std::string, std::string>;

// The texts of one cell of the paper's table: those with the target instruction, then all.
struct CellTexts {
  std::vector<std::string> with_target;
  std::vector<std::string> unrestricted;
};

Sheet check_sheet(const std::vector<CheckedCell>& cells, const PaperLayout& layout) {
  std::map<CellKey, CellTexts> texts;
  std::vector<CheckedCell> of_table;
  for (const CheckedCell& cell : cells) {
    if (cell.paper.table != layout.table.number) continue;
    of_table.push_back(cell);
    CellTexts& into =
        texts[{cell.paper.metric, cell.paper.device, cell.paper.row, cell.paper.problem}];
    (cell.paper.with_target ? into.with_target : into.unrestricted).push_back(cell_text(cell));
  }
  const CheckCounts counts = count_cells(of_table);
  Sheet sheet;
  sheet.title = fmt::format("Table {}: {}: {} of {} numbers match", layout.table.number,
                            layout.table.title, counts.matching, of_table.size());
  sheet.header = {"GPU", layout.table.row_header};
  sheet.name_columns = sheet.header.size();
  for (const PaperLayout::Row& row : layout.rows) sheet.rows.push_back({row.device, row.name});
  for (const PaperMetric metric : layout.metrics) {
    for (const std::string& problem : layout.problems) {
      sheet.header.push_back(
          layout.metrics.size() == 1 ? problem : std::string(kind_text(kind_of(metric)).title));
      for (std::size_t row = 0; row < layout.rows.size(); ++row) {
        const CellTexts& of =
            texts[{metric, layout.rows[row].device, layout.rows[row].name, problem}];
        sheet.rows[row].push_back(join(of.with_target, " / ") + " (" +
                                  join(of.unrestricted, " / ") + ")");
      }
    }
  }
  return sheet;
}

std::string place_text(const PaperCell& cell) {
  return fmt::format("Table {}, {}, {}, {}, {}, {}", cell.table, cell.device, cell.row,
                     cell.problem, counted(cell.turns, "turn", "turns"),
                     cell.with_target ? "target instruction" : "all correct");
}

// What differs, with the reason once for the cells that share it.
std::string differences_text(const std::vector<CheckedCell>& cells) {
  std::string text;
  std::string last_reason;
  for (const CheckedCell& cell : cells) {
    if (cell.state != CheckedCell::State::kDiffers) continue;
    if (!last_reason.empty() && cell.reason != last_reason) text += "  " + last_reason + "\n";
    last_reason = cell.reason;
    text += fmt::format("{}: paper {}, here {}\n", place_text(cell.paper), printed(cell.paper),
                        cell.here);
  }
  if (!last_reason.empty()) text += "  " + last_reason + "\n";
  return text.empty() ? text : "What differs:\n" + text + "\n";
}

// Missing numbers by row: a row is there or it is not.
std::string missing_text(const std::vector<CheckedCell>& cells) {
  std::vector<std::pair<std::string, std::size_t>> rows;
  for (const CheckedCell& cell : cells) {
    if (cell.state != CheckedCell::State::kMissing) continue;
    std::string row = fmt::format("Table {}, {}, {}, {}", cell.paper.table, cell.paper.device,
                                  cell.paper.row, cell.paper.problem);
    if (rows.empty() || rows.back().first != row) rows.emplace_back(std::move(row), 0);
    ++rows.back().second;
  }
  std::string text;
  for (const auto& [row, count] : rows) {
    text += fmt::format("{}: {}\n", row,
                        counted(static_cast<std::int64_t>(count), "number", "numbers"));
  }
  return text.empty() ? text : "What these files do not have:\n" + text + "\n";
}

std::string_view state_name(CheckedCell::State state) {
  switch (state) {
    case CheckedCell::State::kMatches:
      return "matching";
    case CheckedCell::State::kDiffers:
      return "differing";
    case CheckedCell::State::kUnfinished:
      return "unfinished";
    default:
      return "missing";
  }
}

std::string check_csv(const std::vector<CheckedCell>& cells) {
  std::string csv = "table,metric,gpu,row,problem,turns,restriction,paper,here,state,reason\n";
  for (const CheckedCell& cell : cells) {
    const std::vector<std::string> row = {
        std::to_string(cell.paper.table),
        std::string(kind_text(kind_of(cell.paper.metric)).metric),
        cell.paper.device,
        cell.paper.row,
        cell.paper.problem,
        std::to_string(cell.paper.turns),
        cell.paper.with_target ? "target_instruction" : "unrestricted",
        cell.paper.text,
        cell.here == kNone ? "" : cell.here,
        std::string(state_name(cell.state)),
        cell.reason};
    csv += join_changed(row, ",", csv_field) + '\n';
  }
  return csv;
}

}  // namespace

Result<PaperCheck> check_paper(const std::vector<TurnTable>& tables, const PaperValues& values) {
  std::vector<PublishedExperiment> selections;
  for (const TurnTable& table : tables) {
    auto selection = paper_selection(table);
    if (!selection) return fail(selection.error());
    selections.push_back(std::move(*selection));
  }
  PaperCheck check;
  for (const TurnTable& table : tables) {
    if (!table.complete) check.notes.push_back(unfinished_note(table));
  }
  for (const std::int32_t number : numeric_paper_tables(values)) {
    const PaperLayout layout = paper_layout(values, number);
    const TableChecker checker(tables, selections, layout);
    for (const PaperCell& cell : values.cells) {
      if (cell.table == number) check.cells.push_back(checker.check(cell));
    }
    checker.add_notes(check.notes);
  }
  return check;
}

CheckCounts count_cells(const std::vector<CheckedCell>& cells) {
  CheckCounts counts;
  for (const CheckedCell& cell : cells) {
    if (cell.state == CheckedCell::State::kMatches) ++counts.matching;
    if (cell.state == CheckedCell::State::kMissing) ++counts.missing;
    if (cell.state == CheckedCell::State::kUnfinished) ++counts.unfinished;
    if (cell.state != CheckedCell::State::kDiffers) continue;
    ++counts.differing;
    if (cell.cause == CheckedCell::Cause::kUnknown) ++counts.unexplained;
    if (cell.cause == CheckedCell::Cause::kUnjudged) ++counts.unjudged;
  }
  return counts;
}

std::string render_check(const PaperCheck& check, const PaperValues& values, TableFormat format,
                         std::size_t width) {
  const std::vector<CheckedCell>& cells = check.cells;
  if (format == TableFormat::kCsv) return check_csv(cells);
  std::string text;
  for (const std::int32_t number : numeric_paper_tables(values)) {
    text += render_sheet(check_sheet(cells, paper_layout(values, number)), format, width) + '\n';
  }
  const CheckCounts counts = count_cells(cells);
  text +=
      "A cell is laid out as in the paper; here≠paper where they differ, here… where a run is "
      "unfinished.\n\n";
  text += differences_text(cells) + missing_text(cells);
  for (const std::string& note : check.notes) text += note + "\n";
  text += fmt::format(
      "{} of {} numbers match to the last digit, {} differ ({} of them not explained, {} cannot be "
      "judged), {} are missing, {} are of unfinished runs\n",
      counts.matching, cells.size(), counts.differing, counts.unexplained, counts.unjudged,
      counts.missing, counts.unfinished);
  return text;
}

}  // namespace ptxbatch
