// The columns of a results file that tables and figures need, in memory as columns: 1,000,000 turns
// take some 40 MB. Only these columns are read from the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

/// A kind of device that a target's turns ran on, as its driver names it.
struct TargetDevice {
  std::string target;
  std::string name;

  bool operator==(const TargetDevice&) const = default;
};

struct TurnTable {
  std::int32_t max_turns = 0;  // turns of a trajectory at most (the experiment's setting)
  double target_speedup = 0;
  std::string experiment_name;
  std::string experiment_text;
  bool complete = false;
  std::vector<TargetDevice> devices;            // each once, in the order of the ranks' starts
  std::vector<PlannedTrajectory> trajectories;  // [i].index == i
  // One entry a turn, in any order:
  std::vector<std::int32_t> trajectory;
  std::vector<std::int32_t> turn;
  std::vector<Label> label;
  std::vector<TargetInstruction> target_instruction;
  std::vector<double> speedup;
  std::vector<double> paired_speedup;
  std::vector<double> flop_coverage;
  std::vector<std::int64_t> reasoning_tokens;

  [[nodiscard]] std::size_t size() const { return turn.size(); }
};

Result<TurnTable> read_turn_table(const std::string& path);

}  // namespace ptxbatch
