// Turn tables made by hand, a trajectory a line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/turn_table.h"

namespace ptxbatch::testing {

/// A turn as tests write it. speedup > 0 makes it correct.
struct Turn {
  Label label = Label::kCompilationError;
  double speedup = 0;
  TargetInstruction target = TargetInstruction::kNotExamined;
  double coverage = -1;
};

inline Turn with_target(double speedup) {
  return {Label::kCorrect, speedup, TargetInstruction::kPresent};
}
inline Turn without_target(double speedup) {
  return {Label::kCorrect, speedup, TargetInstruction::kAbsent};
}
inline Turn unexamined(double speedup) {
  return {Label::kCorrect, speedup, TargetInstruction::kUnknown};
}
inline Turn failed(Label label) {
  return {label, 0, TargetInstruction::kNotExamined};
}

struct Where {
  std::string model = "m";
  std::string problem = "GEMM";
  std::string prompt_tag = "base";
  std::string target = "host";
  std::string definition = "gemm";
  std::string workload = "w";
};

inline TurnTable empty_table(std::int32_t max_turns) {
  TurnTable table;
  table.max_turns = max_turns;
  table.experiment_name = "trial";
  table.complete = true;
  return table;
}

inline void add_trajectory(TurnTable& table, const Where& where, const std::vector<Turn>& turns) {
  PlannedTrajectory planned;
  planned.index = static_cast<std::int32_t>(table.trajectories.size());
  planned.model = where.model;
  planned.target = where.target;
  planned.problem = where.problem;
  planned.definition = where.definition;
  planned.workload = where.workload;
  planned.prompt_tag = where.prompt_tag;
  table.trajectories.push_back(planned);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    table.trajectory.push_back(planned.index);
    table.turn.push_back(static_cast<std::int32_t>(i));
    table.label.push_back(turns[i].label);
    table.target_instruction.push_back(turns[i].target);
    table.speedup.push_back(turns[i].speedup);
    table.paired_speedup.push_back(turns[i].speedup * 2);
    table.flop_coverage.push_back(turns[i].coverage);
    table.reasoning_tokens.push_back(100);
  }
}

}  // namespace ptxbatch::testing
