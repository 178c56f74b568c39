// How long tables and curves take from 1,000,000 turns: 125,000 trajectories of 8 turns in 60
// conditions, as columns in memory and, as a whole, from a results file.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "analysis/fast_p.h"
#include "analysis/metrics.h"
#include "analysis/panels.h"
#include "analysis/tables.h"
#include "results/results_file.h"

namespace {

using namespace ptxbatch;

constexpr std::int32_t kTurns = 8;
constexpr std::int32_t kTrajectories = 125'000;
constexpr std::int32_t kModels = 12;
constexpr std::int32_t kProblems = 5;
constexpr std::int32_t kPromptTags = 3;

PlannedTrajectory plan(std::int32_t index) {
  constexpr std::int32_t kPerCondition = kTrajectories / (kModels * kProblems);
  const std::int32_t condition = std::min(index / kPerCondition, kModels * kProblems - 1);
  PlannedTrajectory planned;
  planned.index = index;
  planned.id = "exp_" + std::to_string(index);
  planned.model = "model " + std::to_string(condition / kProblems);
  planned.target = "hopper";
  planned.problem = "problem " + std::to_string(condition % kProblems);
  planned.prompt_block = index % kPromptTags;
  planned.prompt_tag = "tag " + std::to_string(planned.prompt_block);
  return planned;
}

// About as many correct turns (1 in 7) as in the published data.
void add_turn(TurnTable& table, std::int32_t trajectory, std::int32_t turn, std::mt19937& random) {
  const bool correct = random() % 7 == 0;
  const double speedup = correct ? static_cast<double>(random() % 120'000) / 100'000 : 0;
  table.trajectory.push_back(trajectory);
  table.turn.push_back(turn);
  table.label.push_back(correct ? Label::kCorrect : Label::kRuntimeError);
  table.target_instruction.push_back(correct && random() % 4 != 0 ? TargetInstruction::kPresent
                                                                  : TargetInstruction::kAbsent);
  table.speedup.push_back(speedup);
  table.paired_speedup.push_back(speedup);
  table.flop_coverage.push_back(-1);
  table.reasoning_tokens.push_back(1000);
}

TurnTable make_table() {
  std::mt19937 random(42);
  TurnTable table;
  table.max_turns = kTurns;
  table.experiment_name = "benchmark";
  table.complete = true;
  for (std::int32_t trajectory = 0; trajectory < kTrajectories; ++trajectory) {
    table.trajectories.push_back(plan(trajectory));
    for (std::int32_t turn = 0; turn < kTurns; ++turn) add_turn(table, trajectory, turn, random);
  }
  return table;
}

const std::vector<TurnTable>& tables() {
  static const std::vector<TurnTable> made = {make_table()};
  return made;
}

void count_turns(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tables()[0].size()));
}

void group_by_condition(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(group_trajectories(tables()));
  count_turns(state);
}
BENCHMARK(group_by_condition)->Unit(benchmark::kMillisecond);

void score_at_limits(benchmark::State& state) {
  const Conditions conditions = group_trajectories(tables());
  const std::vector<std::int32_t> limits = {1, 4, 8};
  for (auto _ : state) {
    benchmark::DoNotOptimize(score_turns(tables(), conditions, limits, SpeedupKind::kPaper));
  }
  count_turns(state);
}
BENCHMARK(score_at_limits)->Unit(benchmark::kMillisecond);

void fast_p_curves(benchmark::State& state) {
  const Conditions conditions = group_trajectories(tables());
  for (auto _ : state) {
    benchmark::DoNotOptimize(fast_curves(tables(), conditions, SpeedupKind::kPaper));
  }
  count_turns(state);
}
BENCHMARK(fast_p_curves)->Unit(benchmark::kMillisecond);

void transitions(benchmark::State& state) {
  const Conditions conditions = group_trajectories(tables());
  for (auto _ : state) benchmark::DoNotOptimize(count_transitions(tables(), conditions));
  count_turns(state);
}
BENCHMARK(transitions)->Unit(benchmark::kMillisecond);

void all_tables(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(render_tables(tables(), {}));
  count_turns(state);
}
BENCHMARK(all_tables)->Unit(benchmark::kMillisecond);

void all_panels(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(make_panels(tables(), SpeedupKind::kPaper));
  count_turns(state);
}
BENCHMARK(all_panels)->Unit(benchmark::kMillisecond);

using Visit = std::function<Status(Record&&)>;

// The table's turns as the records that a run would have journalled.
Status give_records(const TurnTable& table, const Visit& visit) {
  ExperimentRecord experiment;
  experiment.name = table.experiment_name;
  experiment.turns = table.max_turns;
  experiment.trajectories = table.trajectories;
  if (auto status = visit(std::move(experiment)); !status) return status;
  for (std::size_t row = 0; row < table.size(); ++row) {
    TurnRecord turn;
    turn.trajectory = table.trajectory[row];
    turn.turn = table.turn[row];
    turn.label = table.label[row];
    turn.target_instruction = table.target_instruction[row];
    turn.speedup = table.speedup[row];
    turn.paired_speedup = table.paired_speedup[row];
    turn.reasoning_tokens = table.reasoning_tokens[row];
    if (auto status = visit(std::move(turn)); !status) return status;
  }
  return {};
}

/// A results file with all the turns, gone when the program ends.
class ResultsFile {
 public:
  ResultsFile() {
    std::string folder = std::filesystem::temp_directory_path() / "ptxbatch_benchmark_XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return;
    folder_ = folder;
    const auto source = [](const Visit& visit) { return give_records(tables()[0], visit); };
    written_ = write_results_file(real_file_system(), path(), source, true);
  }
  ~ResultsFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  [[nodiscard]] std::string path() const { return folder_ / "benchmark.h5"; }
  [[nodiscard]] const Status& written() const { return written_; }

 private:
  std::filesystem::path folder_;
  Status written_ = fail(ErrorKind::kSystem, "no folder for temporary files");
};

void tables_from_file(benchmark::State& state) {
  static const ResultsFile file;
  if (!file.written()) return state.SkipWithError(describe(file.written().error()).c_str());
  for (auto _ : state) {
    const auto table = read_turn_table(file.path());
    if (!table) return state.SkipWithError(describe(table.error()).c_str());
    benchmark::DoNotOptimize(render_tables({*table}, {}));
  }
  count_turns(state);
}
BENCHMARK(tables_from_file)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
