// How fast a run's records are stored and read: turns per second into the journal (unsynced, synced
// one by one, synced in groups) and into HDF5, and the time to read the columns of 1,000,000 turns.
// Files go to the temporary folder (TMPDIR): where it lies decides what a sync costs.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "results/journal.h"
#include "results/results_file.h"
#include "results/turn_table.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_folder.h"

namespace {

using namespace ptxbatch;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return std::move(*result);
}

void check(const Status& status) {
  if (!status) throw std::runtime_error(describe(status.error()));
}

std::vector<Record> records_of(const SyntheticRun& run) {
  std::vector<Record> records;
  check(synthetic_records(run)([&records](Record&& record) -> Status {
    records.push_back(std::move(record));
    return {};
  }));
  return records;
}

void count_turns(benchmark::State& state, std::int64_t turns) {
  state.counters["turns/s"] =
      benchmark::Counter(static_cast<double>(turns), benchmark::Counter::kIsIterationInvariantRate);
}

// The argument is how many turns share a sync; 0 syncs once at the end. A turn is two records: the
// reply and what was judged.
void journal_turns(benchmark::State& state) {
  const std::int64_t turns_per_sync = state.range(0);
  const std::int64_t turns = turns_per_sync == 1 ? 200 : 5'000;
  const auto records = records_of({.turns = turns});
  const TestFolder folder;
  const std::string path = folder.file("run.h5.journal");
  for (auto _ : state) {
    auto journal = value_of(JournalWriter::open(real_file_system(), path, 0));
    std::int64_t since_sync = 0;
    for (const Record& record : records) {
      check(journal.append(record));
      if (!std::holds_alternative<TurnRecord>(record)) continue;
      if (++since_sync == turns_per_sync) {
        check(journal.sync());
        since_sync = 0;
      }
    }
    check(journal.sync());
  }
  count_turns(state, turns);
}
BENCHMARK(journal_turns)
    ->ArgName("turns_per_sync")
    ->Arg(1)
    ->Arg(16)
    ->Arg(256)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void read_journal_turns(benchmark::State& state) {
  constexpr std::int64_t kTurns = 5'000;
  const TestFolder folder;
  const std::string path = folder.file("run.h5.journal");
  auto journal = value_of(JournalWriter::open(real_file_system(), path, 0));
  for (const Record& record : records_of({.turns = kTurns})) check(journal.append(record));
  check(journal.sync());
  for (auto _ : state) {
    benchmark::DoNotOptimize(value_of(read_journal(path, [](Record&&) { return Status{}; })));
  }
  count_turns(state, kTurns);
}
BENCHMARK(read_journal_turns)->Unit(benchmark::kMillisecond)->UseRealTime();

// With all texts, instructions and samples (0), or numbers alone (1).
void write_hdf5_turns(benchmark::State& state) {
  constexpr std::int64_t kTurns = 5'000;
  const auto records = records_of({.turns = kTurns, .with_texts = state.range(0) == 0});
  const RecordSource source = [&records](const std::function<Status(Record &&)>& visit) -> Status {
    for (Record record : records) {
      if (auto done = visit(std::move(record)); !done) return done;
    }
    return {};
  };
  const TestFolder folder;
  for (auto _ : state) {
    check(write_results_file(real_file_system(), folder.file("run.h5"), source, true));
  }
  count_turns(state, kTurns);
}
BENCHMARK(write_hdf5_turns)
    ->ArgName("numbers_alone")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void read_hdf5_turns(benchmark::State& state) {
  constexpr std::int64_t kTurns = 5'000;
  const TestFolder folder;
  const std::string path = folder.file("run.h5");
  check(write_results_file(real_file_system(), path, synthetic_records({.turns = kTurns}), true));
  for (auto _ : state) check(read_results_file(path, [](Record&&) { return Status{}; }));
  count_turns(state, kTurns);
}
BENCHMARK(read_hdf5_turns)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_the_turn_table(benchmark::State& state) {
  const std::int64_t turns = state.range(0);
  const TestFolder folder;
  const std::string path = folder.file("run.h5");
  const SyntheticRun run{.turns = turns, .with_texts = false};
  check(write_results_file(real_file_system(), path, synthetic_records(run), true));
  for (auto _ : state) benchmark::DoNotOptimize(value_of(read_turn_table(path)).size());
  count_turns(state, turns);
}
BENCHMARK(read_the_turn_table)
    ->ArgName("turns")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
