// What became of the turns of each model on each target, all its problems together: outcomes by
// turn, the ways between neighbouring turns, and how long the model reasoned.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/outcomes.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// One more than the outcomes: a turn that was not taken (the trajectory had ended, or was cut).
inline constexpr std::size_t kNoTurn = kOutcomes.size();
inline constexpr std::size_t kTurnStates = kOutcomes.size() + 1;
using StateCounts = std::array<std::int64_t, kTurnStates>;

struct OutcomeStatistics {
  std::string model;
  std::string target;
  std::int64_t trajectories = 0;
  std::vector<StateCounts> by_turn;  // [turn][state]
  // [turn][state there][state in the turn after it]; one entry fewer than turns
  std::vector<std::array<StateCounts, kTurnStates>> flows;
  // Reasoning tokens of the recorded turns, ascending:
  std::vector<std::vector<std::int64_t>> tokens_by_turn;
  std::array<std::vector<std::int64_t>, kOutcomes.size()> tokens_by_outcome;
};

/// In the order in which the plans name models and targets.
std::vector<OutcomeStatistics> outcome_statistics(std::span<const TurnTable> tables);

/// The value below which a share of the ascending values lies, interpolated; 0 when there are none.
double quantile(const std::vector<std::int64_t>& ascending, double share);
double mean(const std::vector<std::int64_t>& values);

}  // namespace ptxbatch
