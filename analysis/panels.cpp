#include "analysis/panels.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>

#include "analysis/fast_p.h"
#include "analysis/metrics.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

// More steps than this cannot be told apart in a picture.
constexpr std::size_t kMostPoints = 2401;

BandValue band_at(const FastCurve& curve, double p) {
  return {curve.pooled.at(p), curve.band_low(p), curve.band_high(p)};
}

Panel make_panel(const FastCurves& curves, const LabelCounts& labels) {
  Panel panel;
  panel.planned = true;
  panel.correct_turns = labels.turns.at(static_cast<std::size_t>(Label::kCorrect));
  panel.has_band = curves.any.by_prompt_tag.size() > 1;
  panel.best_speedup = curves.any.best_speedup();
  for (const double p : step_points(curves, kFastPMax, kMostPoints)) {
    panel.points.push_back({p, band_at(curves.any, p), band_at(curves.with_target, p)});
  }
  return panel;
}

std::vector<PanelRow> rows_wanted(const PanelGrid& grid, const Selection& wanted) {
  if (wanted.models.empty() || wanted.targets.empty()) return grid.rows;
  std::vector<PanelRow> rows;
  for (const std::string& model : wanted.models) {
    for (const std::string& target : wanted.targets) {
      const auto found = std::find_if(grid.rows.begin(), grid.rows.end(), [&](const PanelRow& row) {
        return row.model == model && row.target == target;
      });
      rows.push_back(found != grid.rows.end() ? *found : PanelRow{model, target, {}});
    }
  }
  return rows;
}

std::string band_fields(const BandValue& band) {
  return fmt::format("{:.6g},{:.6g},{:.6g}", band.value, band.low, band.high);
}

}  // namespace

PanelGrid make_panels(const std::vector<TurnTable>& tables, SpeedupKind kind) {
  const Conditions conditions = group_trajectories(tables);
  const std::vector<FastCurves> curves = fast_curves(tables, conditions, kind);
  const std::vector<LabelCounts> labels = count_labels(tables, conditions);
  std::vector<std::uint32_t> all(conditions.list.size());
  std::iota(all.begin(), all.end(), 0U);
  const ConditionGrid grid = arrange(conditions, all);

  PanelGrid result;
  result.speedup = kind;
  result.problems = grid.problems;
  for (const ConditionGrid::Row& row : grid.rows) {
    PanelRow& panels = result.rows.emplace_back(PanelRow{row.model, row.target, {}});
    for (const auto& condition : row.cells) {
      panels.panels.push_back(condition ? make_panel(curves[*condition], labels[*condition])
                                        : Panel{});
    }
  }
  return result;
}

PanelGrid with_rows_and_columns(const PanelGrid& grid, const Selection& wanted) {
  PanelGrid result;
  result.speedup = grid.speedup;
  result.problems = wanted.problems.empty() ? grid.problems : wanted.problems;
  for (const PanelRow& row : rows_wanted(grid, wanted)) {
    PanelRow& to = result.rows.emplace_back(PanelRow{row.model, row.target, {}});
    for (const std::string& problem : result.problems) {
      const auto found = std::find(grid.problems.begin(), grid.problems.end(), problem);
      const auto column = static_cast<std::size_t>(found - grid.problems.begin());
      to.panels.push_back(column < row.panels.size() ? row.panels[column] : Panel{});
    }
  }
  return result;
}

std::string_view words_of(const Panel& panel) {
  if (!panel.planned) return "not in this experiment";
  if (panel.best_speedup > 0) return {};
  return panel.correct_turns > 0 ? "no speedup was measured" : "no correct turn";
}

std::string panels_csv(const PanelGrid& grid) {
  const std::string_view paired = grid.speedup == SpeedupKind::kPaired ? "paired_" : "";
  std::string result = fmt::format(
      "target,model,problem,p,{0}fast_p,{0}fast_p_low,{0}fast_p_high,"
      "{0}fast_p_inst,{0}fast_p_inst_low,{0}fast_p_inst_high\n",
      paired);
  for (const PanelRow& row : grid.rows) {
    for (std::size_t i = 0; i < row.panels.size(); ++i) {
      const std::string names = csv_field(row.target) + ',' + csv_field(row.model) + ',' +
                                csv_field(grid.problems[i]) + ',';
      for (const PanelPoint& point : row.panels[i].points) {
        result += names + fmt::format("{:.6g},", point.p) + band_fields(point.fast_p) + ',' +
                  band_fields(point.fast_p_inst) + '\n';
      }
    }
  }
  return result;
}

}  // namespace ptxbatch
