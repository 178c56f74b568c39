#include "analysis/show.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>

#include "analysis/sheet.h"
#include "analysis/show_text.h"
#include "analysis/text.h"
#include "results/enum_names.h"

namespace ptxbatch {
namespace {

Error no_such_trajectory(const ExperimentRecord& experiment, const std::string& path,
                         const std::string& name) {
  return {ErrorKind::kUsage,
          "there is no trajectory '" + name + "'",
          fmt::format("Trajectories are 0 to {}; 'ptxbatch show {}' lists them.",
                      static_cast<long long>(experiment.trajectories.size()) - 1, path),
          path,
          0,
          0,
          {}};
}

double best_of(const TrajectoryRecords& records) {
  double best = 0;
  for (const TurnRecord& turn : records.turns) best = std::max(best, turn.speedup);
  return best;
}

std::int64_t correct_turns(const TrajectoryRecords& records) {
  return std::count_if(records.turns.begin(), records.turns.end(),
                       [](const TurnRecord& turn) { return turn.label == Label::kCorrect; });
}

std::string end_text(const TrajectoryRecords& records) {
  if (!records.end) return records.turns.empty() ? "not begun" : "not ended";
  const std::string message = records.end->message.empty() ? "" : ": " + records.end->message;
  return std::string(enum_name(records.end->end)) + message;
}

double seconds_of(const StageSeconds& stages) {
  return stages.generate + stages.compile + stages.scan + stages.sanitize + stages.evaluate +
         stages.evidence;
}

std::vector<std::string> turn_row(const TurnRecord& turn) {
  return {std::to_string(turn.turn),
          std::string(label_name(turn.label)),
          turn.cause,
          times_text(turn.speedup),
          std::string(target_instruction_name(turn.target_instruction)),
          turn.flop_coverage < 0 ? "" : fmt::format("{:.2f}", turn.flop_coverage),
          count_text(turn.reasoning_tokens),
          fmt::format("{:.1f}", seconds_of(turn.stages))};
}

}  // namespace

Result<std::int32_t> find_trajectory(const ExperimentRecord& experiment, const std::string& path,
                                     const std::string& name) {
  const auto count = static_cast<std::int32_t>(experiment.trajectories.size());
  std::int32_t index = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error == std::errc{} && end == name.data() + name.size()) {
    if (index >= 0 && index < count) return index;
    return fail(no_such_trajectory(experiment, path, name));
  }
  std::vector<std::string> matches;
  for (const PlannedTrajectory& planned : experiment.trajectories) {
    if (planned.id != name) continue;
    matches.push_back(std::to_string(planned.index));
    index = planned.index;
  }
  if (matches.empty()) return fail(no_such_trajectory(experiment, path, name));
  if (matches.size() == 1) return index;
  return fail(Error{ErrorKind::kUsage,
                    fmt::format("'{}' is the name of {} trajectories", name, matches.size()),
                    "Name one by its number: " + join(matches, ", ") + ".",
                    path,
                    0,
                    0,
                    {}});
}

std::string show_trajectories(const RunRecords& run, std::size_t width) {
  Sheet sheet;
  sheet.title = fmt::format("{}: {} trajectories", run.experiment.name, run.trajectories.size());
  sheet.header = {"Trajectory", "Id",    "Model",   "Target", "Problem", "Prompt",
                  "Replica",    "Turns", "Correct", "Best",   "End"};
  sheet.name_columns = 6;
  for (const PlannedTrajectory& planned : run.experiment.trajectories) {
    const TrajectoryRecords& records = run.trajectories[static_cast<std::size_t>(planned.index)];
    sheet.rows.push_back({std::to_string(planned.index), planned.id, planned.model, planned.target,
                          planned.problem, planned.prompt_tag, std::to_string(planned.replica),
                          std::to_string(records.turns.size()), count_text(correct_turns(records)),
                          times_text(best_of(records)), end_text(records)});
  }
  sheet.notes.push_back(fmt::format("ptxbatch show {} TRAJECTORY shows its turns.", run.path));
  return render_terminal(sheet, width);
}

std::string show_trajectory(const RunRecords& run, std::int32_t trajectory, std::size_t width) {
  const PlannedTrajectory& planned =
      run.experiment.trajectories.at(static_cast<std::size_t>(trajectory));
  const TrajectoryRecords& records = run.trajectories.at(static_cast<std::size_t>(trajectory));
  Sheet sheet;
  sheet.title = trajectory_title(planned);
  sheet.header = {"Turn",          "Outcome",          "Cause",  "Speedup", "Instruction",
                  "FLOP coverage", "Reasoning tokens", "Seconds"};
  sheet.name_columns = 3;
  for (const TurnRecord& turn : records.turns) sheet.rows.push_back(turn_row(turn));
  sheet.notes = {
      fmt::format("Definition {}, workload {}.", planned.definition, planned.workload),
      fmt::format("Ended: {}.", end_text(records)),
      fmt::format("ptxbatch show {} {} TURN shows one turn's whole story.", run.path, trajectory)};
  return render_terminal(sheet, width);
}

}  // namespace ptxbatch
