#include "analysis/metrics.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ptxbatch {
namespace {

// The first limit that covers the turn; limits.size() when none does.
std::size_t first_limit_above(std::span<const std::int32_t> limits, std::int32_t turn) {
  return static_cast<std::size_t>(std::upper_bound(limits.begin(), limits.end(), turn) -
                                  limits.begin());
}

std::vector<LimitScore> empty_scores(std::span<const std::int32_t> limits) {
  std::vector<LimitScore> result(limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) result[i].limit = limits[i];
  return result;
}

void add_planned(std::span<const TurnTable> tables, const Conditions& conditions,
                 std::vector<std::vector<LimitScore>>& scores) {
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const Conditions::Place place : conditions.places[t]) {
      for (LimitScore& score : scores[place.condition]) {
        score.turns += std::min(score.limit, tables[t].max_turns);
        ++score.trajectories;
      }
    }
  }
}

// For each trajectory of a table the first limit that covers a turn which counts.
class FirstSolved {
 public:
  FirstSolved(std::size_t trajectories, std::size_t limits) : first_(trajectories, limits) {}

  void note(std::int32_t trajectory, std::size_t limit) {
    auto& first = first_.at(static_cast<std::size_t>(trajectory));
    first = std::min(first, limit);
  }

  void add_to(std::vector<std::vector<LimitScore>>& scores,
              const std::vector<Conditions::Place>& places, Score LimitScore::*which) const {
    for (std::size_t i = 0; i < first_.size(); ++i) {
      auto& by_limit = scores[places[i].condition];
      if (first_[i] < by_limit.size()) ++(by_limit[first_[i]].*which).solved_trajectories;
    }
  }

 private:
  std::vector<std::size_t> first_;
};

void add_turn(Score& score, double speedup) {
  ++score.correct_turns;
  score.best_speedup = std::max(score.best_speedup, speedup);
}

// Each turn is first entered at the first limit that covers it.
void add_turns(const TurnTable& table, const std::vector<Conditions::Place>& places,
               std::span<const std::int32_t> limits, SpeedupKind kind,
               std::vector<std::vector<LimitScore>>& scores) {
  const std::vector<double>& speedups = speedup_column(table, kind);
  FirstSolved solved(places.size(), limits.size());
  FirstSolved solved_with_target(places.size(), limits.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.label[row] != Label::kCorrect) continue;
    const std::size_t limit = first_limit_above(limits, table.turn[row]);
    if (limit == limits.size()) continue;
    const std::int32_t trajectory = table.trajectory[row];
    LimitScore& score = scores[places.at(static_cast<std::size_t>(trajectory)).condition][limit];
    add_turn(score.unrestricted, speedups[row]);
    solved.note(trajectory, limit);
    if (table.target_instruction[row] != TargetInstruction::kPresent) continue;
    add_turn(score.with_target, speedups[row]);
    solved_with_target.note(trajectory, limit);
  }
  solved.add_to(scores, places, &LimitScore::unrestricted);
  solved_with_target.add_to(scores, places, &LimitScore::with_target);
}

void add_earlier(Score& score, const Score& earlier) {
  score.correct_turns += earlier.correct_turns;
  score.solved_trajectories += earlier.solved_trajectories;
  score.best_speedup = std::max(score.best_speedup, earlier.best_speedup);
}

void accumulate_over_limits(std::vector<LimitScore>& scores) {
  for (std::size_t i = 1; i < scores.size(); ++i) {
    add_earlier(scores[i].unrestricted, scores[i - 1].unrestricted);
    add_earlier(scores[i].with_target, scores[i - 1].with_target);
  }
}

// The labels of a table's trajectories side by side: [trajectory * turns + turn], -1 where no turn
// is recorded.
struct LabelGrid {
  explicit LabelGrid(const TurnTable& table) {
    for (const std::int32_t turn : table.turn) turns = std::max(turns, std::size_t(turn) + 1);
    labels.assign(table.trajectories.size() * turns, kNone);
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto trajectory = static_cast<std::size_t>(table.trajectory[row]);
      labels.at(trajectory * turns + static_cast<std::size_t>(table.turn[row])) =
          static_cast<std::int8_t>(table.label[row]);
    }
  }

  static constexpr std::int8_t kNone = -1;
  std::size_t turns = 0;
  std::vector<std::int8_t> labels;
};

}  // namespace

std::vector<std::int32_t> capped_limits(std::span<const TurnTable> tables,
                                        std::span<const std::int32_t> limits) {
  std::int32_t most = 0;
  for (const TurnTable& table : tables) most = std::max(most, table.max_turns);
  std::vector<std::int32_t> result;
  for (const std::int32_t limit : limits) {
    if (std::min(limit, most) > 0) result.push_back(std::min(limit, most));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<std::vector<LimitScore>> score_turns(std::span<const TurnTable> tables,
                                                 const Conditions& conditions,
                                                 std::span<const std::int32_t> limits,
                                                 SpeedupKind kind) {
  std::vector<std::vector<LimitScore>> scores(conditions.list.size(), empty_scores(limits));
  for (std::size_t t = 0; t < tables.size(); ++t) {
    add_turns(tables[t], conditions.places[t], limits, kind, scores);
  }
  for (auto& by_limit : scores) accumulate_over_limits(by_limit);
  add_planned(tables, conditions, scores);
  return scores;
}

std::int64_t LabelCounts::total() const {
  return std::accumulate(turns.begin(), turns.end(), std::int64_t{0});
}

std::vector<LabelCounts> count_labels(std::span<const TurnTable> tables,
                                      const Conditions& conditions) {
  std::vector<LabelCounts> result(conditions.list.size());
  for_each_turn(tables, conditions,
                [&](Conditions::Place place, const TurnTable& table, std::size_t row) {
                  LabelCounts& counts = result[place.condition];
                  const auto label = static_cast<std::size_t>(table.label[row]);
                  ++counts.turns.at(label);
                  counts.reasoning_tokens.at(label) += table.reasoning_tokens[row];
                  if (table.label[row] == Label::kCorrect &&
                      table.target_instruction[row] == TargetInstruction::kUnknown) {
                    ++counts.unknown_target;
                  }
                });
  return result;
}

std::vector<Transitions> count_transitions(std::span<const TurnTable> tables,
                                           const Conditions& conditions) {
  std::vector<Transitions> result(conditions.list.size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const LabelGrid grid(tables[t]);
    for (std::size_t i = 0; i < conditions.places[t].size(); ++i) {
      Transitions& counts = result[conditions.places[t][i].condition];
      const std::span labels = std::span(grid.labels).subspan(i * grid.turns, grid.turns);
      for (std::size_t turn = 1; turn < labels.size(); ++turn) {
        const std::int8_t from = labels[turn - 1];
        const std::int8_t to = labels[turn];
        if (from == LabelGrid::kNone || to == LabelGrid::kNone) continue;
        ++counts.at(static_cast<std::size_t>(from)).at(static_cast<std::size_t>(to));
      }
    }
  }
  return result;
}

}  // namespace ptxbatch
