#include "analysis/outcomes.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/metrics.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using OutcomeCounts = std::array<std::int64_t, kOutcomes.size()>;

OutcomeCounts by_outcome(const LabelCounts& counts) {
  OutcomeCounts result{};
  for (int label = 0; label < kLabelCount; ++label) {
    result.at(outcome_of(static_cast<Label>(label))) +=
        counts.turns.at(static_cast<std::size_t>(label));
  }
  return result;
}

// Outcomes in the order of kOutcomes have the classes o0, o1, ... in page.css.
std::string stack(const OutcomeCounts& counts, std::int64_t total) {
  std::string html = R"(<span class="stack">)";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.at(i) == 0) continue;
    const double share = 100 * static_cast<double>(counts.at(i)) / static_cast<double>(total);
    html += fmt::format(
        "<span class=\"o{}\" style=\"width:{:.3f}%\" title=\"{}: {} turns, {:.1f} "
        "%\">{}</span>",
        i, share, kOutcomes.at(i).name, counts.at(i), share,
        share > 4 ? kOutcomes.at(i).letter : "");
  }
  return html + "</span>";
}

std::string legend() {
  std::string html = R"(<p class="legend">)";
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    html += fmt::format(R"(<span class="key"><span class="letter o{}">{}</span> {}</span> )", i,
                        kOutcomes.at(i).letter, kOutcomes.at(i).name);
  }
  return html + "</p>\n";
}

std::string outcomes_table(const ReportInput& input) {
  const Conditions conditions = group_trajectories(input.tables);
  const auto counts = count_labels(input.tables, conditions);
  HtmlTable table;
  table.header = {"Model", "Target", "Problem", "Outcomes", "Turns", "Correct"};
  table.name_columns = 4;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Condition& of = conditions.list[i];
    const std::int64_t total = counts[i].total();
    const OutcomeCounts outcomes = by_outcome(counts[i]);
    table.rows.push_back({html_text(of.model), html_text(of.target), html_text(of.problem),
                          stack(outcomes, total), grouped_digits(total),
                          grouped_digits(outcomes.front())});
  }
  return html_table(table);
}

/// Turns with one label and cause, and the first of them.
struct Cause {
  std::int64_t turns = 0;
  std::size_t run = 0;
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
};

std::string causes_table(const ReportInput& input) {
  std::map<std::pair<std::string_view, std::string>, Cause> causes;
  std::int64_t failed = 0;
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    for (const TrajectoryRecords& trajectory : input.runs[run].trajectories) {
      for (const TurnRecord& turn : trajectory.turns) {
        if (turn.label == Label::kCorrect) continue;
        ++failed;
        Cause& cause = causes[{label_name(turn.label), turn.cause}];
        if (cause.turns++ == 0) cause = {1, run, turn.trajectory, turn.turn};
      }
    }
  }
  if (failed == 0) return "<p>No turn failed.</p>\n";
  using Entry = std::pair<std::pair<std::string_view, std::string>, Cause>;
  std::vector<Entry> sorted(causes.begin(), causes.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& one, const Entry& other) {
    return one.second.turns > other.second.turns;
  });
  HtmlTable table;
  table.header = {"Outcome", "Cause", "First seen", "Turns", "Of all failures"};
  table.name_columns = 3;
  for (const auto& [name, cause] : sorted) {
    table.rows.push_back({html_text(name.first), html_text(name.second),
                          fmt::format(R"(<a href="#turn-{0}-{1}-{2}">trajectory {1}, turn {2}</a>)",
                                      cause.run, cause.trajectory, cause.turn),
                          grouped_digits(cause.turns),
                          fmt::format("{:.1f} %", 100 * static_cast<double>(cause.turns) /
                                                      static_cast<double>(failed))});
  }
  return html_table(table);
}

std::string ends_table(const ReportInput& input) {
  std::map<std::pair<std::string, std::string>, std::int64_t> ends;
  for (const RunRecords& run : input.runs) {
    for (const TrajectoryRecords& trajectory : run.trajectories) {
      if (!trajectory.end) {
        ++ends[{trajectory.turns.empty() ? "not begun" : "not ended", ""}];
      } else {
        ++ends[{std::string(trajectory_end_name(trajectory.end->end)), trajectory.end->message}];
      }
    }
  }
  HtmlTable table;
  table.header = {"How trajectories ended", "Message", "Trajectories"};
  table.name_columns = 2;
  for (const auto& [name, count] : ends) {
    table.rows.push_back({html_text(name.first), html_text(name.second), grouped_digits(count)});
  }
  return html_table(table);
}

}  // namespace

std::string report_outcomes(const ReportInput& input) {
  return html_section("outcomes", "Outcomes and failures",
                      legend() + outcomes_table(input) + "<h3>Failures by cause</h3>\n" +
                          causes_table(input) + "<h3>Ends</h3>\n" + ends_table(input));
}

}  // namespace ptxbatch
