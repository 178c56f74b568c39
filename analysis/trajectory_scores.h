// What single trajectories did below a turn limit. Turns of one trajectory hang together, so that
// intervals (intervals.h) are taken over trajectories.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/conditions.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct TrajectoryScore {
  std::int32_t turns = 0;          // that it could take: a missing turn counts as not correct
  std::int32_t correct_turns = 0;  // of them
  double best_speedup = 0;         // 0: none
};
using TrajectoryScores = std::vector<TrajectoryScore>;

struct LimitTrajectories {
  TrajectoryScores with_target;  // counting only turns that executed the target instruction
  TrajectoryScores unrestricted;
};

/// [condition][limit]; `limits` ascending and positive. Adds up to what score_turns gives.
std::vector<std::vector<LimitTrajectories>> score_trajectories(std::span<const TurnTable> tables,
                                                               const Conditions& conditions,
                                                               std::span<const std::int32_t> limits,
                                                               SpeedupKind kind);

}  // namespace ptxbatch
