#include "analysis/outcome_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ptxbatch {
namespace {

OutcomeStatistics& statistics_of(std::vector<OutcomeStatistics>& all,
                                 const PlannedTrajectory& planned) {
  for (OutcomeStatistics& known : all) {
    if (known.model == planned.model && known.target == planned.target) return known;
  }
  OutcomeStatistics& made = all.emplace_back();
  made.model = planned.model;
  made.target = planned.target;
  return made;
}

// The states of each trajectory of a table, turn by turn: [trajectory][turn].
std::vector<std::vector<std::size_t>> states_of(const TurnTable& table) {
  const auto turns = static_cast<std::size_t>(std::max(table.max_turns, 0));
  std::vector<std::vector<std::size_t>> states(table.trajectories.size(),
                                               std::vector<std::size_t>(turns, kNoTurn));
  for (std::size_t row = 0; row < table.size(); ++row) {
    auto& of = states.at(static_cast<std::size_t>(table.trajectory[row]));
    const auto turn = static_cast<std::size_t>(table.turn[row]);
    if (turn < of.size()) of[turn] = outcome_of(table.label[row]);
  }
  return states;
}

void add_states(OutcomeStatistics& to, const std::vector<std::size_t>& states) {
  ++to.trajectories;
  if (to.by_turn.size() < states.size()) {
    to.by_turn.resize(states.size());
    to.tokens_by_turn.resize(states.size());
    to.flows.resize(states.size() - 1);
  }
  for (std::size_t turn = 0; turn < to.by_turn.size(); ++turn) {
    const std::size_t state = turn < states.size() ? states[turn] : kNoTurn;
    ++to.by_turn[turn].at(state);
    if (turn + 1 == to.by_turn.size()) continue;
    const std::size_t next = turn + 1 < states.size() ? states[turn + 1] : kNoTurn;
    ++to.flows[turn].at(state).at(next);
  }
}

void add_tokens(OutcomeStatistics& to, const TurnTable& table, std::size_t row) {
  const auto turn = static_cast<std::size_t>(table.turn[row]);
  if (turn < to.tokens_by_turn.size()) {
    to.tokens_by_turn[turn].push_back(table.reasoning_tokens[row]);
  }
  to.tokens_by_outcome.at(outcome_of(table.label[row])).push_back(table.reasoning_tokens[row]);
}

void sort_tokens(OutcomeStatistics& statistics) {
  for (auto& tokens : statistics.tokens_by_turn) std::sort(tokens.begin(), tokens.end());
  for (auto& tokens : statistics.tokens_by_outcome) std::sort(tokens.begin(), tokens.end());
}

}  // namespace

std::vector<OutcomeStatistics> outcome_statistics(std::span<const TurnTable> tables) {
  std::vector<OutcomeStatistics> result;
  for (const TurnTable& table : tables) {
    const auto states = states_of(table);
    for (std::size_t i = 0; i < states.size(); ++i) {
      add_states(statistics_of(result, table.trajectories[i]), states[i]);
    }
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto trajectory = static_cast<std::size_t>(table.trajectory[row]);
      add_tokens(statistics_of(result, table.trajectories[trajectory]), table, row);
    }
  }
  for (OutcomeStatistics& statistics : result) sort_tokens(statistics);
  return result;
}

double quantile(const std::vector<std::int64_t>& ascending, double share) {
  if (ascending.empty()) return 0;
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double rest = at - std::floor(at);
  return (1 - rest) * static_cast<double>(ascending[below]) +
         rest * static_cast<double>(ascending[above]);
}

double mean(const std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
         static_cast<double>(values.size());
}

}  // namespace ptxbatch
