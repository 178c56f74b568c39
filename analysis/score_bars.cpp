#include "analysis/score_bars.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/score_cells.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using Scores = std::vector<std::optional<LimitScore>>;

std::vector<ScoreSlot> make_slots(const ScoreFigure& wanted, const ConditionGrid& grid) {
  std::vector<ScoreSlot> slots;
  if (wanted.groups.empty()) {
    for (const std::string& problem : grid.problems) slots.push_back({problem, ""});
  }
  for (const ScoreFigure::Group& group : wanted.groups) {
    for (const std::string& problem : group.problems) {
      slots.push_back({problem, group.name});
    }
  }
  return slots;
}

ScoreContent make_content(const std::vector<TurnTable>& tables, const ScoreFigure& wanted) {
  const Conditions conditions = group_trajectories(tables);
  const std::vector<std::int32_t> limits = {wanted.turns};
  const auto scores = score_turns(tables, conditions, limits, wanted.speedup);
  std::vector<std::uint32_t> all(conditions.list.size());
  std::iota(all.begin(), all.end(), 0U);
  const ConditionGrid grid = arrange(conditions, all);

  ScoreContent content;
  content.speedup = wanted.speedup;
  content.slots = make_slots(wanted, grid);
  for (const ConditionGrid::Row& from : grid.rows) {
    ScoreRow& row = content.rows.emplace_back(ScoreRow{from.model, from.target, {}});
    for (const ScoreSlot& slot : content.slots) {
      const auto found = std::find(grid.problems.begin(), grid.problems.end(), slot.problem);
      const auto column = static_cast<std::size_t>(found - grid.problems.begin());
      const bool known = found != grid.problems.end() && from.cells[column].has_value();
      row.scores.push_back(known ? std::optional(scores[*from.cells[column]].front())
                                 : std::nullopt);
    }
  }
  return content;
}

// Wanted rows that the experiments do not have are drawn as not run.
void add_missing_rows(ScoreContent& content, const ScoreFigure& wanted) {
  std::vector<ScoreRow> ordered;
  for (const std::string& model : wanted.models) {
    for (const std::string& target : wanted.targets) {
      const auto found = std::find_if(
          content.rows.begin(), content.rows.end(),
          [&](const ScoreRow& row) { return row.model == model && row.target == target; });
      ordered.push_back(found != content.rows.end()
                            ? *found
                            : ScoreRow{model, target, Scores(content.slots.size())});
    }
  }
  if (!ordered.empty()) content.rows = std::move(ordered);
}

}  // namespace

ScoreContent make_score_content(const std::vector<TurnTable>& tables, const ScoreFigure& wanted) {
  ScoreContent content = make_content(tables, wanted);
  if (content.slots.empty()) content.slots.push_back({"no problem", ""});
  add_missing_rows(content, wanted);
  if (content.rows.empty()) {
    content.rows.push_back({"no model", "none", Scores(content.slots.size())});
  }
  return content;
}

ScoreBar bar_of(const LimitScore& score, ScoreMetric metric) {
  if (metric == ScoreMetric::kBestSpeedup) {
    return {score.unrestricted.best_speedup, score.with_target.best_speedup};
  }
  return {100 * score.correctness(score.unrestricted), 100 * score.correctness(score.with_target)};
}

std::string scores_csv(const ScoreContent& content, std::size_t first_slot, std::size_t slots,
                       std::span<const ScoreRow> rows, std::int32_t turns) {
  const KindText text = kind_text(TableKind::kBestSpeedup);
  std::string csv = fmt::format(
      "group,problem,target,model,turns,turn_correctness_pct,turn_correctness_pct_with_target,"
      "{0},{0}_with_target\n",
      pick(text.metric, text.paired_metric, content.speedup));
  for (std::size_t i = first_slot; i < first_slot + slots; ++i) {
    for (const ScoreRow& row : rows) {
      if (!row.scores[i]) continue;
      const ScoreBar correct = bar_of(*row.scores[i], ScoreMetric::kCorrectness);
      const ScoreBar best = bar_of(*row.scores[i], ScoreMetric::kBestSpeedup);
      csv += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n",
                         csv_field(content.slots[i].group), csv_field(content.slots[i].problem),
                         csv_field(row.target), csv_field(row.model), turns, correct.any,
                         correct.with_target, best.any, best.with_target);
    }
  }
  return csv;
}

}  // namespace ptxbatch
