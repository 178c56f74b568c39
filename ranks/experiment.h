// An experiment as the ranks need it: plain data, filled from the experiment file by
// orchestrator/experiment_file. Defaults are the paper's (protocol settings) or sensible.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ranks/problems/problem.h"

namespace ptxbatch {

struct ModelSpec {
  std::string name;
  std::string provider;        // "recorded"
  std::string replies_folder;  // recorded: absolute path
  double replay_latency = 0;   // recorded: factor on the recorded latency; 0 answers at once
  int line = 0;                // in the experiment file, for errors found later
};

/// A knowledge pack, a compiler and a device that go together.
struct TargetSpec {
  std::string name;         // "host", "hopper", "blackwell"
  std::string pack_folder;  // absolute path of knowledge_packs/NAME
  std::string compiler;     // program; empty: the target's default
  int line = 0;
};

struct ProblemSpec {
  std::string name;  // short name, as in tables: "GEMM"
  Problem problem;
  int line = 0;
};

/// One prompt tag: which guidance documents of the pack are added, by operator type.
struct PromptSpec {
  std::string tag;
  std::map<std::string, std::vector<std::string>> guidance;  // op_type -> names in the pack
  int line = 0;
};

struct ProtocolSettings {
  int turns = 8;
  double target_speedup = 1.2;  // a trajectory stops when it is reached
  int trials = 0;               // distinct inputs; 0: the operator's own number (3, backward 1)
  int warmups = 10;
  int iterations = 50;  // timed calls a trial
  int pair_blocks =
      5;  // the timed calls are split into this many blocks, alternating with the reference
  double abs_tolerance = 1e-2;  // an element is wrong only if it exceeds both
  double rel_tolerance = 1e-2;
  std::uint64_t input_seed = 42;
  std::string speedup =
      "paper";  // which speedup stops a trajectory and goes into tables: paper | paired
};

/// Seconds a stage may take, queueing excluded.
struct StageBudgets {
  double generate_s = 3600;
  double compile_s = 120;
  double sanitize_s = 120;
  double evaluate_s = 30;
  double evidence_s = 30;
};

struct RankSettings {
  int generating = 16;   // trajectories with a model call out, per rank
  int compile_jobs = 0;  // 0: half of the cores this rank may use, at least 1
  int feedback_max_tokens = 4000;
  double checkpoint_s = 600;  // NAME.h5 is rewritten this often while a run is active
};

struct Experiment {
  std::string file;  // path as given
  std::string text;  // verbatim
  std::string name;
  std::string description;
  std::vector<ModelSpec> models;
  std::vector<TargetSpec> targets;
  std::vector<ProblemSpec> problems;
  std::vector<PromptSpec> prompts;
  int replicas = 1;
  ProtocolSettings protocol;
  StageBudgets budgets;
  RankSettings rank;
};

}  // namespace ptxbatch
