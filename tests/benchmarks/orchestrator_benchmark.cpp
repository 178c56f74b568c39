// How fast an experiment becomes a plan, and how fast the coordinator's state takes up records.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "orchestrator/plan.h"
#include "orchestrator/run_state.h"
#include "orchestrator/work_queue.h"

namespace ptxbatch {
namespace {

// 20 models, 1 target, 5 problems, 10 prompt tags: 1,000 trajectories a replica.
Experiment sweep(int replicas) {
  Experiment experiment;
  for (int i = 0; i < 20; ++i) {
    ModelSpec model;
    model.name = fmt::format("model-{}", i);
    experiment.models.push_back(model);
  }
  TargetSpec target;
  target.name = "host";
  experiment.targets = {target};
  for (int i = 0; i < 5; ++i) {
    ProblemSpec problem;
    problem.name = fmt::format("problem-{}", i);
    problem.problem.definition = fmt::format("definition-{}", i);
    problem.problem.workload = "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41";
    experiment.problems.push_back(problem);
  }
  for (int i = 0; i < 10; ++i) {
    PromptSpec prompt;
    prompt.tag = fmt::format("tag-{}", i);
    experiment.prompts.push_back(prompt);
  }
  experiment.replicas = replicas;
  return experiment;
}

void expand(benchmark::State& state) {
  const Experiment experiment = sweep(static_cast<int>(state.range(0) / 1000));
  for (auto _ : state) benchmark::DoNotOptimize(expand_plan(experiment));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(expand)
    ->Name("plan/expand_trajectories")
    ->Arg(1000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

void hand_out(benchmark::State& state) {
  const auto plan = expand_plan(sweep(static_cast<int>(state.range(0) / 1000)));
  for (auto _ : state) {
    WorkQueue queue;
    for (const auto& trajectory : plan) queue.add(trajectory.index, trajectory.definition, 1);
    int rank = 0;
    while (!queue.empty()) benchmark::DoNotOptimize(queue.take(++rank % 64));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(hand_out)
    ->Name("queue/hand_out_trajectories")
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

void apply_turns(benchmark::State& state) {
  ExperimentRecord experiment;
  experiment.trajectories = expand_plan(sweep(1));
  const auto trajectories = static_cast<std::int32_t>(experiment.trajectories.size());
  for (auto _ : state) {
    RunState run;
    benchmark::DoNotOptimize(run.apply(experiment));
    for (std::int32_t turn = 0; turn < 8; ++turn) {
      for (std::int32_t trajectory = 0; trajectory < trajectories; ++trajectory) {
        ReplyRecord reply;
        reply.trajectory = trajectory;
        reply.turn = turn;
        TurnRecord judged;
        judged.trajectory = trajectory;
        judged.turn = turn;
        benchmark::DoNotOptimize(run.apply(reply));
        benchmark::DoNotOptimize(run.apply(judged));
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * trajectories * 8);
}
BENCHMARK(apply_turns)->Name("state/apply_turns")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ptxbatch

BENCHMARK_MAIN();
