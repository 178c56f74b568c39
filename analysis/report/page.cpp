#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/report/html.h"
#include "analysis/report/report.h"
#include "analysis/report/resources.h"
#include "analysis/report/sections.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kMenu =
    "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> <a href=\"#tables\">Tables</a> "
    "<a href=\"#curves\">Curves</a> <a href=\"#outcomes\">Outcomes</a> "
    "<a href=\"#places\">Where it ran</a> <a href=\"#health\">Health</a> "
    "<a href=\"#cost\">Cost</a> <a href=\"#turns\">Turns</a> "
    "<a href=\"#experiment\">Experiment</a></nav>\n";

std::string title_of(const ReportInput& input) {
  std::vector<std::string> names;
  for (const RunRecords& run : input.runs) {
    if (std::find(names.begin(), names.end(), run.experiment.name) == names.end()) {
      names.push_back(run.experiment.name);
    }
  }
  if (names.empty()) return "no run";
  return names.size() == 1 ? names.front()
                           : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
      "'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{} – PTXBatch report</title>\n<style>\n{}"
      "</style>\n</head>\n",
      html_text(title), report_style());
}

}  // namespace

std::string report_turns(const ReportInput& input) {
  std::int64_t trajectories = 0;
  std::int64_t without = 0;
  for (const RunRecords& run : input.runs) {
    for (const TrajectoryRecords& of : run.trajectories) {
      if (of.turns.empty()) continue;
      ++trajectories;
      if (of.without_details) ++without;
    }
  }
  std::string html =
      "<p class=\"muted\">One line a trajectory, one square a turn (counted from 0); a strong "
      "border: "
      "the target instruction was executed. Choose a square for the turn's whole story.</p>\n";
  if (without > 0) {
    html += fmt::format(
        "<p class=\"note\">The details of {} of {} trajectories were left out of this page to keep "
        "it usable: 'ptxbatch show FILE TRAJECTORY TURN' shows them, and 'ptxbatch report "
        "--details' sets how much goes in.</p>\n",
        grouped_digits(without), grouped_digits(trajectories));
  }
  html +=
      "<noscript><p class=\"note\">The list of turns needs JavaScript; all else on this page does "
      "not.</p></noscript>\n<div id=\"browser\"></div>\n<div id=\"story\" tabindex=\"-1\"></div>\n"
      "<p class=\"print-only muted\">Turns are in the page itself, not in print.</p>\n";
  return html_section("turns", "Turns", html);
}

std::string report_experiments(const ReportInput& input) {
  std::string html;
  for (const RunRecords& run : input.runs) {
    html += fmt::format(
        "<details><summary>{} as it was run ({})</summary><pre>{}</pre></details>\n",
        html_text(run.experiment.name), html_text(run.path), html_text(run.experiment.text));
  }
  return html_section("experiment", "Experiment", html);
}

std::string make_report(const ReportInput& input) {
  const std::string title = title_of(input);
  return head(title) + "<body>\n<header><h1>" + html_text(title) + "</h1>\n" + std::string(kMenu) +
         "</header>\n<main>\n" + report_summary(input) + report_tables(input) +
         report_curves(input) + report_outcomes(input) + report_places(input) +
         report_health(input) + report_cost(input) + report_turns(input) +
         report_experiments(input) + "</main>\n" + report_data(input) + "<script>\n" +
         std::string(report_script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace ptxbatch
