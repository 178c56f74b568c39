// The data behind the list of turns. Everything is compressed and sleeps in <script> elements of a
// type that browsers do not run; the page's script wakes one when it is asked for.
#include <spdlog/fmt/fmt.h>

#include <set>

#include "analysis/outcomes.h"
#include "analysis/record_json.h"
#include "analysis/report/compressed.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

std::string chunk(const std::string& id, const ordered_json& data) {
  return fmt::format(
      "<script type=\"application/x-deflate-base64\" id=\"{}\">{}</script>\n", id,
      compressed_base64(data.dump(-1, ' ', false, ordered_json::error_handler_t::replace)));
}

double speedup_of(const TurnRecord& turn, SpeedupKind kind) {
  return kind == SpeedupKind::kPaired ? turn.paired_speedup : turn.speedup;
}

// One trajectory in the list: its plan, how it ended, and each turn's outcome and speedup.
ordered_json index_entry(const PlannedTrajectory& planned, const TrajectoryRecords& records,
                         SpeedupKind speedup) {
  ordered_json entry = record_json(planned);
  entry["end"] = records.end             ? std::string(trajectory_end_name(records.end->end))
                 : records.turns.empty() ? "not begun"
                                         : "not ended";
  if (records.end && !records.end->message.empty()) {
    entry["message"] = repair_utf8(records.end->message);
  }
  entry["details"] = !records.without_details;
  auto turns = ordered_json::array();
  for (const TurnRecord& turn : records.turns) {
    turns.push_back({turn.turn, outcome_of(turn.label), rounded_number(speedup_of(turn, speedup)),
                     turn.target_instruction == TargetInstruction::kPresent ? 1 : 0});
  }
  entry["turns"] = std::move(turns);
  return entry;
}

ordered_json index_of(const ReportInput& input) {
  auto outcomes = ordered_json::array();
  for (const Outcome& outcome : kOutcomes) {
    outcomes.push_back({{"name", outcome.name}, {"letter", outcome.letter}});
  }
  auto runs = ordered_json::array();
  for (const RunRecords& run : input.runs) {
    auto trajectories = ordered_json::array();
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
      trajectories.push_back(
          index_entry(run.experiment.trajectories[i], run.trajectories[i], input.speedup));
    }
    runs.push_back({{"file", repair_utf8(run.path)},
                    {"experiment", repair_utf8(run.experiment.name)},
                    {"max_turns", run.experiment.turns},
                    {"trajectories", std::move(trajectories)}});
  }
  return {{"outcomes", std::move(outcomes)},
          {"paired", input.speedup == SpeedupKind::kPaired},
          {"runs", std::move(runs)}};
}

ordered_json details_of(const TrajectoryRecords& records) {
  auto turns = ordered_json::array();
  for (const TurnRecord& turn : records.turns) {
    ordered_json entry = {{"turn", record_json(turn)}};
    if (const ReplyRecord* reply = records.reply_to(turn.turn)) {
      entry["reply"] = record_json(*reply);
    }
    turns.push_back(std::move(entry));
  }
  return turns;
}

}  // namespace

std::string report_data(const ReportInput& input) {
  std::string html = chunk("data-index", index_of(input));
  std::set<std::string> prompts;  // runs of one experiment share theirs
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    for (const auto& [sha256, text] : input.runs[run].prompts) {
      if (!prompts.insert(sha256).second) continue;
      html += chunk("data-prompt-" + html_text(sha256), repair_utf8(text));
    }
    const auto& trajectories = input.runs[run].trajectories;
    for (std::size_t i = 0; i < trajectories.size(); ++i) {
      if (trajectories[i].turns.empty() || trajectories[i].without_details) continue;
      html += chunk(fmt::format("data-{}-{}", run, i), details_of(trajectories[i]));
    }
  }
  return html;
}

}  // namespace ptxbatch
