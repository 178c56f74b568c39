// Small records for tests of the coordinator's side: a run of a few trajectories, by hand.
#pragma once

#include <string>

#include "results/records.h"

namespace ptxbatch {

inline ExperimentRecord small_experiment(int trajectories, int turns) {
  ExperimentRecord record;
  record.name = "small";
  record.text = "name = \"small\"\n";
  record.turns = turns;
  record.target_speedup = 1.2;
  for (int i = 0; i < trajectories; ++i) {
    PlannedTrajectory plan;
    plan.index = i;
    plan.id = "exp_00" + std::to_string(i);
    plan.model = "model";
    plan.target = "host";
    plan.problem = "GEMM";
    plan.definition = "gemm";
    plan.workload = "w";
    plan.prompt_tag = "base";
    record.trajectories.push_back(plan);
  }
  return record;
}

inline ReplyRecord reply_of(int trajectory, int turn) {
  ReplyRecord record;
  record.trajectory = trajectory;
  record.turn = turn;
  record.text = "reply " + std::to_string(turn);
  return record;
}

inline TurnRecord turn_of(int trajectory, int turn, Label label = Label::kCorrect) {
  TurnRecord record;
  record.trajectory = trajectory;
  record.turn = turn;
  record.label = label;
  record.cause = "correct";
  record.feedback = "feedback " + std::to_string(turn);
  return record;
}

}  // namespace ptxbatch
