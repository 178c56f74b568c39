#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <utility>

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
  return numbers(scores, &LimitScore::with_target, metric) + R"(<br><span class="muted">()" +
         numbers(scores, &LimitScore::unrestricted, metric) + ")</span>";
}

// So many problems stand side by side; more go below, with the models that have any of them.
constexpr std::size_t kColumns = 5;

std::string part_of_table(const ConditionGrid& grid,
                          const std::vector<std::vector<LimitScore>>& scores, Metric metric,
                          std::size_t first) {
  const std::size_t count = std::min(kColumns, grid.problems.size() - first);
  HtmlTable html;
  html.header = {"Model", "Target"};
  html.name_columns = 2;
  for (std::size_t i = 0; i < count; ++i)
    html.header.push_back(html_text(grid.problems[first + i]));
  for (const ConditionGrid::Row& row : grid.rows) {
    std::vector<std::string> cells = {html_text(row.model), html_text(row.target)};
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& condition = row.cells[first + i];
      any |= condition.has_value();
      cells.push_back(condition ? cell(scores[*condition], metric) : "");
    }
    if (any) html.rows.push_back(std::move(cells));
  }
  return html_table(html);
}

std::string table(const ConditionGrid& grid, const std::vector<std::vector<LimitScore>>& scores,
                  const std::string& title, Metric metric) {
  std::string html = "<h3>" + title + "</h3>\n";
  for (std::size_t first = 0; first < grid.problems.size(); first += kColumns) {
    html += part_of_table(grid, scores, metric, first);
  }
  return html;
}

// The host's speedups are not comparable with a GPU's: no table mixes the two.
std::vector<ConditionGrid> comparable_grids(const Conditions& conditions) {
  std::vector<std::uint32_t> gpus;
  std::vector<std::uint32_t> host;
  for (std::uint32_t i = 0; i < conditions.list.size(); ++i) {
    (conditions.list[i].target == "host" ? host : gpus).push_back(i);
  }
  std::vector<ConditionGrid> grids;
  for (const auto& which : {gpus, host}) {
    if (!which.empty()) grids.push_back(arrange(conditions, which));
  }
  return grids;
}

}  // namespace

std::string report_tables(const ReportInput& input) {
  const Conditions conditions = group_trajectories(input.tables);
  constexpr std::array<std::int32_t, 3> kLimits = {1, 4, 8};
  const std::vector<std::int32_t> limits = capped_limits(input.tables, kLimits);
  const auto scores = score_turns(input.tables, conditions, limits, input.speedup);
  const std::vector<ConditionGrid> grids = comparable_grids(conditions);
  if (grids.empty()) {
    return html_section("tables", "Tables",
                        "<p>No trajectories: there is nothing to tabulate.</p>");
  }
  const std::string turns =
      join_changed(limits, " / ", [](std::int32_t limit) { return std::to_string(limit); });
  std::string html = fmt::format(
      "<p class=\"muted\">Within the first {} turns: counting only turns that executed the target "
      "instruction, below (in brackets) all correct turns. – means none. A turn that is missing "
      "counts as not correct.</p>\n",
      turns);
  const bool paired = input.speedup == SpeedupKind::kPaired;
  for (const ConditionGrid& grid : grids) {
    const std::string where = grid.rows.front().target == "host" ? ", host target" : "";
    html += table(grid, scores, "Turn correctness (%)" + where, Metric::kCorrectness) +
            table(grid, scores, "Best speedup (×)" + where + (paired ? ", measured in pairs" : ""),
                  Metric::kBestSpeedup) +
            table(grid, scores, "Trajectories with a correct turn (%)" + where, Metric::kPass);
  }
  return html_section("tables", "Tables", html);
}

}  // namespace ptxbatch
