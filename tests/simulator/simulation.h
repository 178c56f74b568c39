// A run of the real coordinator, its journal and its results file, with virtual ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/coordinator.h"
#include "tests/simulator/lower_bound.h"
#include "tests/simulator/virtual_cluster.h"

namespace ptxbatch {

struct SimulationSettings {
  int ranks = 64;
  std::int32_t trajectories = 1000;
  int turns = 8;
  int generating = 32;
  int profiling = 8;
  int workloads = 5;
  double tokens_per_s = 60;
  int model_in_flight = 0;  // of each model; 0: no limit
  double checkpoint_s = 600;
  bool affinity = true;
  bool sync = true;                 // fsync as the real run does
  bool charge_coordinator = false;  // its time counts in the virtual one
  std::uint64_t seed = 1;
  VirtualRankSettings rank;
  std::string results_path;
  std::optional<int> lost_rank;
  double lost_at_s = 0;
};

struct SimulationResult {
  Coordinator::Outcome outcome;
  double makespan_s = 0;   // until the last rank has left
  double processor_s = 0;  // of the simulation, the virtual ranks included
  double finish_s = 0;     // of it for the last results file
  std::vector<Bound> bounds;
  VirtualCluster::Traffic traffic;
  VirtualRank::Use use;  // of all ranks together
  std::int64_t syncs = 0;
  double sync_s = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t results_bytes = 0;
  std::int64_t checkpoints = 0;
};

Result<SimulationResult> simulate(const SimulationSettings& settings);

}  // namespace ptxbatch
