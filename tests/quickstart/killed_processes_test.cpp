// kill -9 in the middle of a run, of each kind of process in turn and of all of them: the same
// command again ends as an undisturbed run would, with every turn judged once.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "common/file_system.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/process_tree.h"
#include "tests/quickstart/run_processes.h"
#include "tests/quickstart/small_experiment.h"
#include "tests/quickstart/table_rows.h"

namespace ptxbatch {
namespace {

constexpr int kTrajectories = 2;
constexpr int kTurns = 4;
constexpr int kTurnsBeforeTheKill = 2;

using Processes = std::vector<Process>;

Processes first(Processes processes) {
  if (processes.size() > 1) processes.resize(1);
  return processes;
}

struct Victim {
  std::string name;
  // Who is to be killed, of the processes below mpirun; empty while there is none.
  std::function<Processes(const Processes& tree, const std::string& results)> find;
};

std::ostream& operator<<(std::ostream& out, const Victim& victim) {
  return out << victim.name;
}

SmallExperiment experiment() {
  SmallExperiment small;
  // Replies take a little, so that a run cannot be over before the kill.
  small.models = recorded_model(quickstart_replies(), 0.02);
  small.replicas = kTrajectories;
  return small;
}

class KilledProcess : public testing::TestWithParam<Victim> {};

TEST_P(KilledProcess, costs_no_finished_turn_and_the_same_command_goes_on) {
  const Workspace workspace;
  workspace.write(experiment());
  const std::string results = workspace.results();
  const ProcessSpec command = mpi_command(3, {"run", workspace.experiment(), "-o", results});

  JournalWatch watch(results);
  ChildProcess disturbed = start(command);
  Processes victims;
  ASSERT_TRUE(watch.wait_until(disturbed,
                               [&] {
                                 if (turns_in_journal(results) < kTurnsBeforeTheKill) return false;
                                 victims = GetParam().find(process_tree(disturbed.pid()), results);
                                 return !victims.empty();
                               }))
      << "no " << GetParam().name << " to kill; " << finish(disturbed, 1).output;
  ASSERT_LT(turns_in_journal(results), kTrajectories * kTurns) << "the run is over already";
  const ProcessHandles everything(process_tree(disturbed.pid()));
  ProcessHandles(victims).kill_all();
  const CommandEnd first_end = finish(disturbed);
  ASSERT_TRUE(everything.wait_for_end(deadline_in(60))) << "processes outlive their run";

  const CommandEnd second_end = run(command);
  ASSERT_EQ(second_end.exit_code, 0) << first_end.output << second_end.output;
  const RunRecords records = read_run(results);
  const Judgements expected = expected_judgements("GEMM", kTrajectories, kTurns);
  EXPECT_EQ(differences(expected, records), "") << first_end.output << second_end.output;
  EXPECT_EQ(duplicates(records), "");
  const CommandEnd tables = ptxbatch({"tables", results, "--format", "csv", "--turns", "1,4"});
  EXPECT_EQ(differences(expected_correctness(expected, kTrajectories, {1, 4}),
                        printed_cells(tables.output, "turn_correctness_pct")),
            "");
}

INSTANTIATE_TEST_SUITE_P(
    Run, KilledProcess,
    testing::Values(
        Victim{"coordinator", coordinator},
        Victim{"working_rank",
               [](const Processes& tree, const std::string& results) {
                 return first(working_ranks(tree, results));
               }},
        Victim{"keeper", [](const Processes& tree,
                            const std::string&) { return first(named(tree, "ptxbatch-keeper")); }},
        Victim{"runner", [](const Processes& tree,
                            const std::string&) { return first(named(tree, "ptxbatch-runner")); }},
        Victim{"compiler",
               [](const Processes& tree, const std::string&) { return first(compilers(tree)); }},
        Victim{"mpirun", [](const Processes& tree, const std::string&) { return first(tree); }},
        Victim{"everything", [](const Processes& tree, const std::string&) { return tree; }}),
    [](const testing::TestParamInfo<Victim>& victim) { return victim.param.name; });

// The recorded reply of the quickstart that holds an endless loop.
std::string endless_reply() {
  return read_text(quickstart_replies() + "/gemm_f32_n192_k160/exp_003/turn_0.md").value();
}

// Nobody can tell from a single SIGKILL whether the candidate or somebody else sent it: the
// candidate is judged once more.
TEST(KilledRunner, does_not_count_against_the_candidate_that_it_was_running) {
  const Workspace workspace;
  workspace.add_reply(0, 0, endless_reply());
  SmallExperiment small;
  small.models = recorded_model(workspace.replies());
  small.protocol = "turns = 1\n";
  small.rest = "[budgets]\nevaluate_s = 4.0\n";
  small.replicas = 1;
  workspace.write(small);
  const std::string results = workspace.results();

  JournalWatch watch(results);
  ChildProcess disturbed = start(ptxbatch_command({"run", workspace.experiment(), "-o", results}));
  Processes runner;
  ASSERT_TRUE(watch.wait_until(disturbed, [&] {
    runner = named(process_tree(disturbed.pid()), "ptxbatch-runner");
    std::erase_if(runner, [](const Process& process) { return process.cpu_s < 0.5; });
    return !runner.empty();
  })) << finish(disturbed, 1).output;
  ProcessHandles(runner).kill_all();
  const CommandEnd end = finish(disturbed);
  ASSERT_EQ(end.exit_code, 0) << end.output;
  const Judgements expected = {
      {{"GEMM", "exp_000", 0}, {"Kernel Execution Timeout", "kernel_timeout", "not examined"}}};
  EXPECT_EQ(differences(expected, read_run(results)), "");
}

}  // namespace
}  // namespace ptxbatch
