#include "analysis/score_cells.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/best_speedups.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

// The text of one number of a cell.
std::string number_text(TableKind kind, const LimitScore& at, const Score& score,
                        const TrajectoryScores* trajectories) {
  std::string text = value_text(kind, value_of(kind, at, score));
  if (trajectories != nullptr) {
    text += ' ' + interval_text(kind, interval_of(kind, *trajectories));
  }
  return text;
}

// The numbers of one cell: those with the target instruction, then the unrestricted ones.
std::vector<std::string> cell_numbers(TableKind kind, const ScoredConditions& scored,
                                      std::uint32_t condition, const CellStyle& style) {
  std::vector<std::string> result;
  for (const bool with_target : {true, false}) {
    for (std::size_t limit = 0; limit < scored.limits.size(); ++limit) {
      const LimitScore& at = scored.scores[condition][limit];
      result.push_back(
          number_text(kind, at, with_target ? at.with_target : at.unrestricted,
                      style.intervals ? scored.of(condition, limit, with_target) : nullptr));
    }
  }
  return result;
}

// "a / b / c", twice: each number at least as wide as `widths` says.
std::pair<std::string, std::string> cell_halves(const std::vector<std::string>& numbers,
                                                const std::vector<std::size_t>& widths) {
  std::vector<std::string> padded;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    padded.push_back(pad_left(numbers[i], widths[i]));
  }
  const auto middle = padded.begin() + static_cast<std::ptrdiff_t>(padded.size() / 2);
  return {join({padded.begin(), middle}, " / "), join({middle, padded.end()}, " / ")};
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

// With intervals the halves of a cell stand under each other, so they share their widths.
void share_widths(std::vector<std::size_t>& widths) {
  const std::size_t half = widths.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    widths[i] = widths[half + i] = std::max(widths[i], widths[half + i]);
  }
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

std::string render_sheet(const Sheet& sheet, TableFormat format, std::size_t width) {
  switch (format) {
    case TableFormat::kMarkdown:
      return render_markdown(sheet);
    case TableFormat::kLatex:
      return render_latex(sheet);
    default:
      return render_terminal(sheet, width);
  }
}

KindText kind_text(TableKind kind) {
  switch (kind) {
    case TableKind::kCorrectness:
      return {"Turn correctness (%)",
              "",
              "turn_correctness_pct",
              "",
              "Turn correctness: correct turns over all turns that the trajectories may take; a "
              "missing turn counts as not correct.",
              "Turn correctness: Wilson intervals with the number of independent turns that vary "
              "as much as the trajectories do, and Student's quantile."};
    case TableKind::kBestSpeedup:
      return {"Best speedup (×)",
              "Best speedup (×), measured in pairs",
              "best_speedup",
              "best_paired_speedup",
              "Best speedup: latency of the reference over that of the fastest correct turn.",
              "Best speedup: what the best of as many further trajectories reaches in at least "
              "97.5 of 100 cases if they are like these; no trajectory says what lies above."};
    case TableKind::kPass:
      return {"Trajectories with a correct turn (%)",
              "",
              "pass_pct",
              "",
              "Trajectories with a correct turn (pass@T): of all that were planned.",
              "Trajectories with a correct turn: Wilson intervals."};
    case TableKind::kOutcomes:
      return {"Turns by outcome", "", "turns_with_label", "", "", ""};
  }
  return {};
}

std::string_view pick(std::string_view text, std::string_view paired, SpeedupKind kind) {
  return kind == SpeedupKind::kPaired && !paired.empty() ? paired : text;
}

std::string_view best_speedup_words(SpeedupKind kind) {
  return pick("best speedup", "best paired speedup", kind);
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

std::optional<Interval> interval_of(TableKind kind, const TrajectoryScores& trajectories) {
  switch (kind) {
    case TableKind::kCorrectness:
      return correctness_interval(trajectories);
    case TableKind::kPass:
      return pass_interval(trajectories);
    default:
      const auto least = least_further_best(trajectories, trajectories.size());
      if (!least) return std::nullopt;
      return Interval{*least, std::numeric_limits<double>::infinity()};
  }
}

std::string interval_text(TableKind kind, const std::optional<Interval>& interval) {
  const bool is_best = kind == TableKind::kBestSpeedup;
  if (!interval || (is_best && interval->low == 0)) return fmt::format("[{}]", kNone);
  if (is_best) return fmt::format("[≥ {}]", speedup_text(interval->low));
  return fmt::format("[{:.1f}, {:.1f}]", 100 * interval->low, 100 * interval->high);
}

std::array<std::string, 2> interval_fields(TableKind kind,
                                           const std::optional<Interval>& interval) {
  if (!interval) return {};
  if (kind == TableKind::kBestSpeedup) return {fmt::format("{:.6g}", interval->low), ""};
  return {fmt::format("{:.6g}", 100 * interval->low), fmt::format("{:.6g}", 100 * interval->high)};
}

std::string too_few_note() {
  return fmt::format("Fewer than {} trajectories do not show how much they vary: [{}].",
                     kLeastTrajectories, kNone);
}

ScoredConditions::ScoredConditions(std::span<const TurnTable> tables, const Conditions& conditions,
                                   std::span<const std::int32_t> at, SpeedupKind speedup,
                                   bool intervals)
    : limits(at.begin(), at.end()), scores(score_turns(tables, conditions, at, speedup)) {
  if (intervals) trajectories = score_trajectories(tables, conditions, at, speedup);
}

const TrajectoryScores* ScoredConditions::of(std::size_t condition, std::size_t limit,
                                             bool with_target) const {
  if (trajectories.empty()) return nullptr;
  const LimitTrajectories& at = trajectories[condition][limit];
  return with_target ? &at.with_target : &at.unrestricted;
}

void add_score_rows(Sheet& sheet, std::vector<std::string> names, const CellStyle& style) {
  if (!style.intervals) {
    sheet.rows.push_back(std::move(names));
    return;
  }
  std::vector<std::string> all(names.size());  // the names stand once
  if (style.format != TableFormat::kTerminal) all = names;
  names.emplace_back("target instruction");
  all.emplace_back("all correct");
  sheet.rows.push_back(std::move(names));
  sheet.rows.push_back(std::move(all));
}

void add_score_column(Sheet& sheet, const std::string& header, TableKind kind,
                      const ScoredConditions& scored,
                      const std::vector<std::optional<std::uint32_t>>& conditions,
                      const CellStyle& style) {
  std::vector<std::vector<std::string>> column;
  column.reserve(conditions.size());
  for (const auto& condition : conditions) {
    column.push_back(condition ? cell_numbers(kind, scored, *condition, style)
                               : std::vector<std::string>{});
  }
  auto widths = number_widths(column, 2 * scored.limits.size(), style.format);
  if (style.intervals) share_widths(widths);
  sheet.header.push_back(header);
  for (std::size_t i = 0; i < column.size(); ++i) {
    const auto [with_target, all] =
        column[i].empty() ? std::pair<std::string, std::string>{} : cell_halves(column[i], widths);
    if (style.intervals) {
      sheet.rows[2 * i].push_back(with_target);
      sheet.rows[2 * i + 1].push_back(all);
    } else {
      const char between = style.format == TableFormat::kHtml ? '\n' : ' ';
      sheet.rows[i].push_back(
          column[i].empty() ? std::string{} : fmt::format("{}{}({})", with_target, between, all));
    }
  }
}

std::string cell_legend(const std::vector<std::int32_t>& limits, const CellStyle& style) {
  const std::string turns =
      join_changed(limits, " / ", [](std::int32_t limit) { return std::to_string(limit); });
  if (style.intervals) {
    return fmt::format(
        "A cell: within the first {} turns, each with its 95 % interval; counting only turns that "
        "executed the target instruction, below it all correct turns; {} means none.",
        turns, kNone);
  }
  return fmt::format(
      "A cell: within the first {} turns, counting only turns that executed the target instruction "
      "(in brackets: all correct turns); {} means none.",
      turns, kNone);
}

}  // namespace ptxbatch
