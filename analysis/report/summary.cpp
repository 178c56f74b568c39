#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/show_text.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

struct Totals {
  std::int64_t planned = 0;
  std::int64_t ended = 0;
  std::int64_t turns = 0;
  std::int64_t correct = 0;
  std::int64_t with_target = 0;
  double best = 0;
  double best_with_target = 0;
};

void add_turn(Totals& totals, const TurnTable& table, double speedup, std::size_t row) {
  ++totals.turns;
  if (table.label[row] != Label::kCorrect) return;
  ++totals.correct;
  totals.best = std::max(totals.best, speedup);
  if (table.target_instruction[row] != TargetInstruction::kPresent) return;
  ++totals.with_target;
  totals.best_with_target = std::max(totals.best_with_target, speedup);
}

Totals totals_of(const ReportInput& input) {
  Totals totals;
  for (const RunRecords& run : input.runs) {
    totals.planned += static_cast<std::int64_t>(run.trajectories.size());
    totals.ended += std::count_if(run.trajectories.begin(), run.trajectories.end(),
                                  [](const TrajectoryRecords& of) { return of.end.has_value(); });
  }
  for (const TurnTable& table : input.tables) {
    const auto& speedups = speedup_column(table, input.speedup);
    for (std::size_t row = 0; row < table.size(); ++row) {
      add_turn(totals, table, speedups[row], row);
    }
  }
  return totals;
}

std::string tile(std::string_view name, const std::string& value, const std::string& below) {
  return fmt::format(
      "<div class=\"tile\"><div class=\"tile-name\">{}</div><div class=\"tile-value\">{}</div>"
      "<div class=\"tile-below\">{}</div></div>\n",
      name, value, below);
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::string(kNone);
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

double last_turn_at(const RunRecords& run) {
  double last = 0;
  for (const TrajectoryRecords& trajectory : run.trajectories) {
    for (const TurnRecord& turn : trajectory.turns) last = std::max(last, turn.finished_at_s);
  }
  return last;
}

std::string runs_table(const ReportInput& input) {
  HtmlTable table;
  table.header = {"File", "Experiment", "State", "Began", "Last turn", "Program"};
  table.name_columns = 6;
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const RunRecords& run = input.runs[i];
    table.rows.push_back(
        {html_text(run.path), html_text(run.experiment.name),
         input.tables[i].complete ? "complete" : "incomplete",
         html_text(time_text(run.experiment.started_at_s)), html_text(time_text(last_turn_at(run))),
         html_text(run.experiment.program_version + " (" + run.experiment.git_commit + ")")});
  }
  return html_table(table);
}

}  // namespace

std::string report_summary(const ReportInput& input) {
  const Totals totals = totals_of(input);
  std::string html = "<div class=\"tiles\">\n";
  html += tile("Trajectories ended", grouped_digits(totals.ended),
               "of " + grouped_digits(totals.planned) + " planned");
  html += tile("Turns judged", grouped_digits(totals.turns), "");
  html += tile("Correct turns", grouped_digits(totals.correct),
               share_text(totals.correct, totals.turns) + " of those judged");
  html += tile("Correct with the target instruction", grouped_digits(totals.with_target),
               share_text(totals.with_target, totals.turns) + " of those judged");
  html += tile("Best speedup", times_text(totals.best),
               "with the target instruction: " + times_text(totals.best_with_target));
  return html_section("summary", "Summary", html + "</div>\n" + runs_table(input));
}

}  // namespace ptxbatch
