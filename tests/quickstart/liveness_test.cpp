// Processes that do not die but stop answering, as on a hung node: a rank, the coordinator, and a
// candidate that cannot be killed. Nothing is lost, nothing counts twice, and nobody waits for
// ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "common/file_system.h"
#include "results/journal.h"
#include "results/lock_holder.h"
#include "results/results_file.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/process_tree.h"
#include "tests/quickstart/small_experiment.h"
#include "tests/support/unkillable.h"

namespace ptxbatch {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kTrajectories = 2;
constexpr int kTurns = 4;
const char* const kQuickEars = "[rank]\nsilence_s = 4\n";

SmallExperiment experiment() {
  SmallExperiment small;
  // Replies take a little, so that a run cannot be over before it is disturbed.
  small.models = recorded_model(quickstart_replies(), 0.02);
  small.replicas = kTrajectories;
  small.rest = kQuickEars;
  return small;
}

// Each turn takes as long as the budget.
SmallExperiment endless_turns(const Workspace& workspace, int trajectories, int turns) {
  const std::string reply =
      read_text(quickstart_replies() + "/gemm_f32_n192_k160/exp_003/turn_0.md").value();
  for (int trajectory = 0; trajectory < trajectories; ++trajectory) {
    for (int turn = 0; turn < turns; ++turn) workspace.add_reply(trajectory, turn, reply);
  }
  SmallExperiment small;
  small.models = recorded_model(workspace.replies());
  small.protocol = "turns = " + std::to_string(turns) + "\n";
  small.replicas = trajectories;
  small.rest = std::string(kQuickEars) + "[budgets]\nevaluate_s = 3.0\n";
  return small;
}

pid_t coordinator(const std::string& results) {
  const auto lock = read_text(results + ".lock");
  const auto holder = lock ? LockHolder::parse(*lock) : std::nullopt;
  return holder ? holder->pid : 0;
}

// A rank that has a keeper, and so works.
pid_t working_rank(pid_t mpirun) {
  for (const Process& process : process_tree(mpirun)) {
    if (process.name == "ptxbatch-keeper") return process.parent;
  }
  return 0;
}

template <class Read>
std::vector<std::string> event_kinds(const Read& read) {
  std::vector<std::string> kinds;
  static_cast<void>(read([&](Record&& record) -> Status {
    if (const auto* event = std::get_if<EventRecord>(&record)) kinds.push_back(event->kind);
    return {};
  }));
  return kinds;
}

std::vector<std::string> events_in_journal(const std::string& results) {
  return event_kinds(
      [&](const auto& visit) { return read_journal(results + ".journal", visit).has_value(); });
}

std::vector<std::string> events_in_results(const std::string& results) {
  return event_kinds(
      [&](const auto& visit) { return read_results_file(results, visit).has_value(); });
}

bool has(const std::vector<std::string>& kinds, const std::string& kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

TEST(Liveness, a_rank_that_hangs_is_given_up_and_the_run_ends_without_it) {
  const Workspace workspace;
  workspace.write(experiment());
  const std::string results = workspace.results();
  JournalWatch watch(results);
  ChildProcess run = start(mpi_command(3, {"run", workspace.experiment(), "-o", results}));
  ASSERT_TRUE(watch.wait_for_turns(run, 1)) << finish(run, 1).output;
  const ProcessHandles everything(process_tree(run.pid()));
  const pid_t rank = working_rank(run.pid());
  ASSERT_GT(rank, 0);
  ASSERT_EQ(::kill(rank, SIGSTOP), 0);
  const CommandEnd end = finish(run);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("has been silent for 4 s and is given up"));
  EXPECT_TRUE(everything.wait_for_end(deadline_in(60))) << "processes outlive their run";
  const RunRecords records = read_run(results);
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), records), "");
  EXPECT_EQ(duplicates(records), "");
  EXPECT_THAT(events_in_results(results), Contains("rank_lost"));
}

TEST(Liveness, a_rank_that_wakes_up_again_begins_afresh_and_what_it_says_late_is_ignored) {
  const Workspace workspace;
  workspace.write(endless_turns(workspace, 2, 2));
  const std::string results = workspace.results();
  JournalWatch watch(results);
  ChildProcess run = start(mpi_command(3, {"run", workspace.experiment(), "-o", results}));
  pid_t rank = 0;
  ASSERT_TRUE(watch.wait_until(run, [&] { return (rank = working_rank(run.pid())) > 0; }));
  ASSERT_EQ(::kill(rank, SIGSTOP), 0);
  ASSERT_TRUE(watch.wait_until(run, [&] { return has(events_in_journal(results), "rank_lost"); }))
      << finish(run, 1).output;
  ASSERT_EQ(::kill(rank, SIGCONT), 0);
  const CommandEnd end = finish(run);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(events_in_results(results), Contains("rank_returned"));
  const RunRecords records = read_run(results);
  EXPECT_EQ(records.turns.size(), 4U);
  EXPECT_EQ(duplicates(records), "");
}

TEST(Liveness, a_coordinator_that_hangs_is_left_by_its_ranks_and_the_same_command_goes_on) {
  const Workspace workspace;
  workspace.write(experiment());
  const std::string results = workspace.results();
  const ProcessSpec command = mpi_command(3, {"run", workspace.experiment(), "-o", results});
  JournalWatch watch(results);
  ChildProcess run = start(command);
  ASSERT_TRUE(watch.wait_for_turns(run, 2)) << finish(run, 1).output;
  const ProcessHandles everything(process_tree(run.pid()));
  ASSERT_EQ(::kill(coordinator(results), SIGSTOP), 0);
  const CommandEnd end = finish(run);
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_TRUE(everything.wait_for_end(deadline_in(60))) << "processes outlive their run";

  const CommandEnd resumed = ptxbatch::run(command);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  const RunRecords records = read_run(results);
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), records), "");
  EXPECT_EQ(duplicates(records), "");
}

TEST(Liveness, a_candidate_that_cannot_be_killed_takes_its_device_out_of_service) {
  const Workspace workspace;
  workspace.write(endless_turns(workspace, 1, 1));
  const std::string results = workspace.results();
  JournalWatch watch(results);
  ChildProcess run = start(mpi_command(3, {"run", workspace.experiment(), "-o", results}));
  pid_t runner = 0;
  ASSERT_TRUE(watch.wait_until(run, [&] {
    for (const Process& process : process_tree(run.pid())) {
      const bool runs = process.cpu_s > 0.5;  // the candidate's loop
      if (process.name == "ptxbatch-runner" && runs) {
        runner = process.pid;
      }
    }
    return runner > 0;
  })) << finish(run, 1).output;
  const Unkillable held(runner);
  const CommandEnd end = finish(run);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(events_in_results(results), Contains("device_excluded"));
  const Judgements expected = {
      {{"GEMM", "exp_000", 0}, {"Kernel Execution Timeout", "kernel_timeout", "not examined"}}};
  EXPECT_EQ(differences(expected, read_run(results)), "") << end.output;
}

// As when a process of the job dies on its way into MPI.
TEST(Liveness, a_job_whose_processes_do_not_all_start_ends) {
  const Workspace workspace;
  workspace.write(experiment());
  ProcessSpec command = mpi_command(1, {"run", workspace.experiment(), "-o", workspace.results()});
  command.argv.insert(command.argv.end(), {":", "-n", "1", "/bin/sleep", "600"});
  command.environment.push_back("PTXBATCH_MPI_START_S=3");
  const CommandEnd end = run(command);
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("MPI has not started within 3 s"));
  EXPECT_FALSE(real_file_system().exists(workspace.results() + ".journal"));
}

}  // namespace
}  // namespace ptxbatch
