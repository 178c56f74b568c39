#include "tests/simulator/simulation.h"

#include <fmt/format.h>

#include <filesystem>

#include "common/version.h"
#include "orchestrator/experiment_file.h"
#include "tests/simulator/measured_file_system.h"

namespace ptxbatch {
namespace {

// Targets, problems and prompts of the paper's Table 1, with the models of the statistics.
Result<Experiment> simulated_experiment(const SimulationSettings& settings,
                                        const std::vector<ModelStatistics>& statistics) {
  auto read = read_experiment_file(PTXBATCH_SOURCE_DIR "/experiments/paper/table1_h100.toml");
  if (!read) return fail(read.error().front());
  Experiment experiment = std::move(*read);
  experiment.name = "simulation";
  experiment.models.clear();
  for (const ModelStatistics& row : statistics) {
    ModelSpec model;
    model.name = row.model;
    model.endpoint.limits.in_flight = settings.model_in_flight;
    experiment.models.push_back(std::move(model));
  }
  const std::size_t real_problems = experiment.problems.size();
  for (std::size_t i = real_problems; i < static_cast<std::size_t>(settings.workloads); ++i) {
    ProblemSpec another = experiment.problems.at(i % real_problems);
    another.name += fmt::format(" {}", i / real_problems + 1);
    another.problem.workload += fmt::format("-{}", i / real_problems + 1);
    experiment.problems.push_back(std::move(another));
  }
  experiment.problems.resize(static_cast<std::size_t>(settings.workloads));
  experiment.protocol.turns = settings.turns;
  experiment.rank.generating = settings.generating;
  experiment.rank.profiling = settings.profiling;
  experiment.rank.checkpoint_s = settings.checkpoint_s;
  experiment.rank.silence_s = 0;  // virtual ranks send no signs of life
  return experiment;
}

ExperimentRecord record_of(const Experiment& experiment, const WorkModel& work,
                           const TimeSource& time) {
  ExperimentRecord record;
  record.name = experiment.name;
  record.text = experiment.text;
  record.program_version = kVersion;
  record.git_commit = kGitCommit;
  record.started_at_s = time.unix_time_s();
  record.turns = experiment.protocol.turns;
  record.target_speedup = experiment.protocol.target_speedup;
  record.trajectories = work.plan();
  return record;
}

void add_ranks(const VirtualCluster& cluster, SimulationResult& result) {
  for (const VirtualRank& rank : cluster.virtual_ranks()) {
    const VirtualRank::Use& use = rank.use();
    result.use.generating_s += use.generating_s;
    result.use.compiling_s += use.compiling_s;
    result.use.judging_s += use.judging_s;
    result.use.loading_s += use.loading_s;
    result.use.loads += use.loads;
    result.use.turns += use.turns;
    result.makespan_s = std::max(result.makespan_s, use.left_at_s);
  }
}

}  // namespace

Result<SimulationResult> simulate(const SimulationSettings& settings) {
  auto statistics =
      read_turn_statistics(PTXBATCH_SOURCE_DIR "/tests/simulator/turn_statistics.csv");
  if (!statistics) return fail(statistics.error());
  const auto experiment = simulated_experiment(settings, *statistics);
  if (!experiment) return fail(experiment.error());
  auto plan = simulated_plan(*experiment, *statistics, settings.trajectories);
  const WorkModel work(std::move(*statistics), std::move(plan), settings.tokens_per_s,
                       settings.seed);

  SimulationResult result;
  result.bounds = lower_bounds(*experiment, work, settings.rank, settings.ranks);
  VirtualTime time;
  MeasuredFileSystem files(settings.sync);
  auto store = RunStore::open(files, settings.results_path, record_of(*experiment, work, time));
  if (!store) return fail(store.error());
  VirtualCluster cluster(settings.ranks, *experiment, work, settings.rank, time,
                         settings.charge_coordinator);
  if (settings.lost_rank) cluster.lose_rank(*settings.lost_rank, settings.lost_at_s);
  Progress progress(experiment->protocol.turns, time);
  const double start_s = processor_time_s();
  Coordinator coordinator(*experiment, **store, cluster, progress, time,
                          WorkQueue(settings.affinity));
  result.outcome = coordinator.run();
  result.processor_s = processor_time_s() - start_s;
  result.finish_s = cluster.working_s();
  result.traffic = cluster.traffic();
  result.syncs = files.counts().syncs;
  result.sync_s = files.counts().sync_s;
  result.checkpoints = files.counts().replaced - 1;  // the last one is the end's
  result.journal_bytes = files.counts().appended_bytes;
  std::error_code none;
  result.results_bytes = std::filesystem::file_size(settings.results_path, none);
  add_ranks(cluster, result);
  return result;
}

}  // namespace ptxbatch
