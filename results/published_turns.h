// The turns of a published results CSV, one row a turn, checked and sorted into runs and
// trajectories. Columns: model, arch, definition, workload, run, trajectory_id, turn, correctness,
// speedup, target_instruction_tag, correct_with_target, reasoning_tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/published_experiment.h"
#include "results/records.h"

namespace ptxbatch {

struct PublishedTurn {
  std::int32_t turn = 0;
  Label label = Label::kOtherError;
  double speedup = 0;
  TargetInstruction target_instruction = TargetInstruction::kNotExamined;
  std::int64_t reasoning_tokens = 0;
  int line = 0;  // of the CSV file
};

struct PublishedTrajectory {
  std::int32_t number = 0;           // of "exp_003": 3
  std::vector<PublishedTurn> turns;  // ascending
};

struct PublishedRun {
  std::string name;
  std::string model;
  std::string target;
  std::string definition;
  std::string workload;
  std::vector<PublishedTrajectory> trajectories;  // ascending
};

/// The runs in the file's order. Errors name the row and the column; a turn that is there twice is
/// one.
Result<std::vector<PublishedRun>> read_published_turns(const std::string& path,
                                                       const PublishedExperiment& experiment);

}  // namespace ptxbatch
