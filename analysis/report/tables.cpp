#include <spdlog/fmt/fmt.h>

#include <array>
#include <numeric>

#include "analysis/metrics.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

enum class Metric { kCorrectness, kBestSpeedup, kPass };

std::string number(const LimitScore& at, const Score& score, Metric metric) {
  switch (metric) {
    case Metric::kCorrectness:
      return percent_text(at.correctness(score));
    case Metric::kPass:
      return percent_text(at.pass(score));
    default:
      return speedup_text(score.best_speedup);
  }
}

std::string numbers(const std::vector<LimitScore>& scores, Score LimitScore::*which,
                    Metric metric) {
  return join_changed(scores, " / ",
                      [&](const LimitScore& at) { return number(at, at.*which, metric); });
}

std::string cell(const std::vector<LimitScore>& scores, Metric metric) {
  return numbers(scores, &LimitScore::with_target, metric) + "<br><span class=\"muted\">(" +
         numbers(scores, &LimitScore::unrestricted, metric) + ")</span>";
}

std::string table(const ConditionGrid& grid, const std::vector<std::vector<LimitScore>>& scores,
                  std::string_view title, Metric metric) {
  HtmlTable html;
  html.header = {"Model", "Target"};
  html.name_columns = 2;
  for (const std::string& problem : grid.problems) html.header.push_back(html_text(problem));
  for (const ConditionGrid::Row& row : grid.rows) {
    auto& cells = html.rows.emplace_back();
    cells = {html_text(row.model), html_text(row.target)};
    for (const auto& condition : row.cells) {
      cells.push_back(condition ? cell(scores[*condition], metric) : "");
    }
  }
  return fmt::format("<h3>{}</h3>\n", title) + html_table(html);
}

}  // namespace

std::string report_tables(const ReportInput& input) {
  const Conditions conditions = group_trajectories(input.tables);
  constexpr std::array<std::int32_t, 3> kLimits = {1, 4, 8};
  const std::vector<std::int32_t> limits = capped_limits(input.tables, kLimits);
  const auto scores = score_turns(input.tables, conditions, limits, input.speedup);
  std::vector<std::uint32_t> all(conditions.list.size());
  std::iota(all.begin(), all.end(), 0U);
  const ConditionGrid grid = arrange(conditions, all);
  if (grid.rows.empty()) {
    return html_section("tables", "Tables",
                        "<p>No trajectories: there is nothing to tabulate.</p>");
  }
  const std::string turns =
      join_changed(limits, " / ", [](std::int32_t limit) { return std::to_string(limit); });
  return html_section(
      "tables", "Tables",
      fmt::format("<p class=\"muted\">Within the first {} turns: counting only turns that executed "
                  "the target instruction, below (in brackets) all correct turns. – means none. A "
                  "turn that is missing counts as not correct. Speedups on the host target do not "
                  "compare with a GPU's.</p>\n",
                  turns) +
          table(grid, scores, "Turn correctness (%)", Metric::kCorrectness) +
          table(grid, scores,
                input.speedup == SpeedupKind::kPaired ? "Best speedup (×), measured in pairs"
                                                      : "Best speedup (×)",
                Metric::kBestSpeedup) +
          table(grid, scores, "Trajectories with a correct turn (%)", Metric::kPass));
}

}  // namespace ptxbatch
