#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/devices.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/score_cells.h"
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

/// A target on one kind of device: numbers of several do not add up.
struct Part {
  std::string target;
  std::string device;
  Totals totals;
};

// Where a target of this results file stands, begun where it is new.
std::size_t place_of(std::vector<Part>& parts, const TurnTable& table, const std::string& target) {
  const std::string device = device_of(table, target);
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return part.target == target && part.device == device;
  });
  const auto place = static_cast<std::size_t>(found - parts.begin());
  if (found == parts.end()) parts.push_back({target, device, {}});
  return place;
}

void add_turn(Totals& totals, const TurnTable& table, double speedup, std::size_t row) {
  ++totals.turns;
  if (table.label[row] != Label::kCorrect) return;
  ++totals.correct;
  totals.best = std::max(totals.best, speedup);
  if (table.target_instruction[row] != TargetInstruction::kPresent) return;
  ++totals.with_target;
  totals.best_with_target = std::max(totals.best_with_target, speedup);
}

void add_run(std::vector<Part>& parts, const TurnTable& table, const RunRecords& run,
             SpeedupKind kind) {
  std::vector<std::size_t> places;  // [trajectory]
  for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
    places.push_back(place_of(parts, table, run.experiment.trajectories[i].target));
    Totals& totals = parts[places.back()].totals;
    ++totals.planned;
    if (run.trajectories[i].end) ++totals.ended;
  }
  const auto& speedups = speedup_column(table, kind);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto trajectory = static_cast<std::size_t>(table.trajectory[row]);
    add_turn(parts[places.at(trajectory)].totals, table, speedups[row], row);
  }
}

std::vector<Part> parts_of(const ReportInput& input) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    add_run(parts, input.tables[i], input.runs[i], input.speedup);
  }
  return parts;
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

std::string tiles(const Part& part, SpeedupKind speedup) {
  const Totals& totals = part.totals;
  std::string html = "<h3>Target " + html_text(part.target);
  if (part.device != part.target) html += ", " + html_text(part.device);
  html += "</h3>\n<div class=\"tiles\">\n";
  html += tile("Trajectories ended", grouped_digits(totals.ended),
               "of " + grouped_digits(totals.planned) + " planned");
  html += tile("Turns judged", grouped_digits(totals.turns), "");
  html += tile("Correct turns", grouped_digits(totals.correct),
               share_text(totals.correct, totals.turns) + " of those judged");
  html += tile("Correct with the target instruction", grouped_digits(totals.with_target),
               share_text(totals.with_target, totals.turns) + " of those judged");
  html += tile(pick("Best speedup", "Best paired speedup", speedup), times_text(totals.best),
               "with the target instruction: " + times_text(totals.best_with_target));
  return html + "</div>\n";
}

}  // namespace

std::string report_summary(const ReportInput& input) {
  std::string html;
  for (const Part& part : parts_of(input)) html += tiles(part, input.speedup);
  return html_section("summary", "Summary", html + runs_table(input));
}

}  // namespace ptxbatch
