#include "analysis/trajectory_scores.h"

#include <algorithm>
#include <cstddef>

namespace ptxbatch {
namespace {

void count_turn(TrajectoryScore& score, double speedup) {
  ++score.correct_turns;
  score.best_speedup = std::max(score.best_speedup, speedup);
}

// One table's trajectories below one limit, by their index.
LimitTrajectories score_table(const TurnTable& table, std::int32_t limit, SpeedupKind kind) {
  const std::vector<double>& speedups = speedup_column(table, kind);
  LimitTrajectories scores;
  const TrajectoryScore none{std::min(limit, table.max_turns), 0, 0};
  scores.with_target.assign(table.trajectories.size(), none);
  scores.unrestricted.assign(table.trajectories.size(), none);
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.label[row] != Label::kCorrect || table.turn[row] >= limit) continue;
    const auto trajectory = static_cast<std::size_t>(table.trajectory[row]);
    count_turn(scores.unrestricted.at(trajectory), speedups[row]);
    if (table.target_instruction[row] != TargetInstruction::kPresent) continue;
    count_turn(scores.with_target.at(trajectory), speedups[row]);
  }
  return scores;
}

}  // namespace

std::vector<std::vector<LimitTrajectories>> score_trajectories(std::span<const TurnTable> tables,
                                                               const Conditions& conditions,
                                                               std::span<const std::int32_t> limits,
                                                               SpeedupKind kind) {
  std::vector<std::vector<LimitTrajectories>> result(conditions.list.size(),
                                                     std::vector<LimitTrajectories>(limits.size()));
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t limit = 0; limit < limits.size(); ++limit) {
      const LimitTrajectories scores = score_table(tables[t], limits[limit], kind);
      for (std::size_t i = 0; i < scores.unrestricted.size(); ++i) {
        LimitTrajectories& into = result[conditions.places[t][i].condition][limit];
        into.with_target.push_back(scores.with_target[i]);
        into.unrestricted.push_back(scores.unrestricted[i]);
      }
    }
  }
  return result;
}

}  // namespace ptxbatch
