// Cells in the paper's format: "a / b / c (a / b / c)", a number for each turn limit, first
// counting only turns that executed the target instruction, then, in brackets, all correct turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/intervals.h"
#include "analysis/metrics.h"
#include "analysis/sheet.h"
#include "analysis/trajectory_scores.h"

namespace ptxbatch {

/// kHtml is the report's: what is in brackets stands in a second line of its cell.
enum class TableFormat { kTerminal, kMarkdown, kCsv, kLatex, kHtml };
/// "terminal", "markdown", "csv", "latex".
std::optional<TableFormat> table_format_from_name(std::string_view name);
/// Not for kCsv or kHtml. `width`: terminal columns to stay within; 0: as wide as it needs.
std::string render_sheet(const Sheet& sheet, TableFormat format, std::size_t width);

enum class TableKind { kCorrectness, kBestSpeedup, kPass, kOutcomes };

/// What is said of one kind of table, whatever its format.
struct KindText {
  std::string_view title;
  std::string_view paired_title;  // with SpeedupKind::kPaired; empty: the same
  std::string_view metric;        // in CSV
  std::string_view paired_metric;
  std::string_view definition;
  std::string_view intervals;  // how its intervals are made
};
KindText kind_text(TableKind kind);
std::string_view pick(std::string_view text, std::string_view paired, SpeedupKind kind);
/// "best speedup", or "best paired speedup": what figures and reports call it.
std::string_view best_speedup_words(SpeedupKind kind);

double value_of(TableKind kind, const LimitScore& at, const Score& score);
/// As in cells; kNone for 0.
std::string value_text(TableKind kind, double value);
/// Of a best speedup: what the best of as many further trajectories would reach (best_speedups.h),
/// without an upper end (infinity). Nothing when there are too few trajectories for any.
std::optional<Interval> interval_of(TableKind kind, const TrajectoryScores& trajectories);
/// "[12.3, 45.6]" in the unit of value_text; of a best speedup "[≥ 0.412]"; "[–]" says nothing.
std::string interval_text(TableKind kind, const std::optional<Interval>& interval);
/// Its ends for CSV, empty where there is none.
std::array<std::string, 2> interval_fields(TableKind kind, const std::optional<Interval>& interval);
/// Said where a number has no interval because of kLeastTrajectories.
std::string too_few_note();

/// The scores of some conditions at ascending limits.
struct ScoredConditions {
  ScoredConditions(std::span<const TurnTable> tables, const Conditions& conditions,
                   std::span<const std::int32_t> at, SpeedupKind speedup, bool intervals);

  /// The trajectories behind a number; null without intervals.
  [[nodiscard]] const TrajectoryScores* of(std::size_t condition, std::size_t limit,
                                           bool with_target) const;

  std::vector<std::int32_t> limits;
  std::vector<std::vector<LimitScore>> scores;               // [condition][limit]
  std::vector<std::vector<LimitTrajectories>> trajectories;  // the same; only for intervals
};

struct CellStyle {
  TableFormat format = TableFormat::kTerminal;
  bool intervals = false;  // each number with its interval; what is in brackets in a row below
};

/// Adds the row, or rows, that a condition's cells stand in; the names come first.
void add_score_rows(Sheet& sheet, std::vector<std::string> names, const CellStyle& style);
/// Adds a column of cells, one for each call of add_score_rows; nothing leaves a cell empty.
void add_score_column(Sheet& sheet, const std::string& header, TableKind kind,
                      const ScoredConditions& scored,
                      const std::vector<std::optional<std::uint32_t>>& conditions,
                      const CellStyle& style);

/// Sentences that explain the cells.
std::string cell_legend(const std::vector<std::int32_t>& limits, const CellStyle& style);

}  // namespace ptxbatch
