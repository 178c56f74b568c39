// The paper's metrics at turn limits, and what is counted by label. Each function is one linear
// pass over the turns and gives one entry for each condition, in the order of Conditions::list.
// Turns count from 0: "at T" means the turns with index < T.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/conditions.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// What a turn must be to count: correct, or correct with the target instruction executed
/// (TargetInstruction::kPresent; an unknown state does not count).
struct Score {
  std::int64_t correct_turns = 0;
  std::int64_t solved_trajectories = 0;  // with at least one such turn
  double best_speedup = 0;               // over such turns; 0 when there is none
};

/// One condition at one turn limit.
struct LimitScore {
  std::int32_t limit = 0;
  // Turns that the planned trajectories could take: a missing turn counts as not correct. An
  // experiment with fewer turns than the limit adds only those that it has.
  std::int64_t turns = 0;
  std::int64_t trajectories = 0;
  Score with_target;
  Score unrestricted;

  /// Turn correctness: correct turns over turns; 0 when nothing is planned.
  [[nodiscard]] double correctness(const Score& score) const {
    return turns == 0 ? 0 : static_cast<double>(score.correct_turns) / static_cast<double>(turns);
  }
  /// pass@T: the share of trajectories with a correct turn.
  [[nodiscard]] double pass(const Score& score) const {
    return trajectories == 0
               ? 0
               : static_cast<double>(score.solved_trajectories) / static_cast<double>(trajectories);
  }
};

/// The limits that make sense for these tables: positive, ascending, none twice, and none above
/// the most turns that an experiment allows (a higher one becomes that number).
std::vector<std::int32_t> capped_limits(std::span<const TurnTable> tables,
                                        std::span<const std::int32_t> limits);

/// [condition][limit]; `limits` ascending and positive.
std::vector<std::vector<LimitScore>> score_turns(std::span<const TurnTable> tables,
                                                 const Conditions& conditions,
                                                 std::span<const std::int32_t> limits,
                                                 SpeedupKind kind);

/// Recorded turns by label.
struct LabelCounts {
  std::array<std::int64_t, kLabelCount> turns{};
  std::array<std::int64_t, kLabelCount> reasoning_tokens{};  // summed over those turns
  std::int64_t unknown_target = 0;  // correct turns whose target instruction could not be examined

  [[nodiscard]] std::int64_t total() const;
};

std::vector<LabelCounts> count_labels(std::span<const TurnTable> tables,
                                      const Conditions& conditions);

/// How often a turn with label [from] was followed, in its trajectory, by a turn with label [to].
using Transitions = std::array<std::array<std::int64_t, kLabelCount>, kLabelCount>;

std::vector<Transitions> count_transitions(std::span<const TurnTable> tables,
                                           const Conditions& conditions);

}  // namespace ptxbatch
