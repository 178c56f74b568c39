// SIGTERM or SIGUSR1 in the middle of a run, as a batch system sends them before it takes the
// machine away: exit code 75 with everything on disk, and the same command goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "common/file_system.h"
#include "results/lock_holder.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/process_tree.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr int kTrajectories = 2;
constexpr int kTurns = 4;

SmallExperiment experiment() {
  SmallExperiment small;
  small.models = recorded_model(quickstart_replies(), 0.02);
  small.replicas = kTrajectories;
  return small;
}

pid_t coordinator(const std::string& results) {
  const auto lock = read_text(results + ".lock");
  const auto holder = lock ? LockHolder::parse(*lock) : std::nullopt;
  return holder ? holder->pid : 0;
}

// Runs the command, sends the signal after two turns, and runs it again.
void stop_and_go_on(const Workspace& workspace, const ProcessSpec& command, int signal) {
  const std::string results = workspace.results();
  JournalWatch watch(results);
  ChildProcess stopped = start(command);
  ASSERT_TRUE(watch.wait_for_turns(stopped, 2)) << finish(stopped, 1).output;
  ASSERT_LT(turns_in_journal(results), kTrajectories * kTurns) << "the run is over already";
  const pid_t rank_0 = coordinator(results);
  ASSERT_GT(rank_0, 0);
  const ProcessHandles everything(process_tree(stopped.pid()));
  ASSERT_EQ(::kill(rank_0, signal), 0);
  const CommandEnd end = finish(stopped);
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("Run the same command again"));
  ASSERT_TRUE(everything.wait_for_end(deadline_in(60))) << "processes outlive their run";
  EXPECT_FALSE(real_file_system().exists(results + ".lock"));
  const int kept = turns_in_journal(results);
  EXPECT_GE(kept, 2);
  EXPECT_EQ(read_run(results).turns.size(), static_cast<std::size_t>(kept));

  const CommandEnd resumed = run(command);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("Resuming"));
  const RunRecords records = read_run(results);
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), records), "");
  EXPECT_EQ(duplicates(records), "");
}

TEST(StopSignal, term_at_the_coordinator_of_an_mpi_run_ends_it_with_75) {
  const Workspace workspace;
  workspace.write(experiment());
  stop_and_go_on(workspace,
                 mpi_command(3, {"run", workspace.experiment(), "-o", workspace.results()}),
                 SIGTERM);
}

TEST(StopSignal, usr1_at_a_run_in_one_process_ends_it_with_75) {
  const Workspace workspace;
  workspace.write(experiment());
  stop_and_go_on(workspace,
                 ptxbatch_command({"run", workspace.experiment(), "-o", workspace.results()}),
                 SIGUSR1);
}

TEST(StopSignal, a_run_begun_under_mpirun_goes_on_without_it) {
  const Workspace workspace;
  workspace.write(experiment());
  const std::string results = workspace.results();
  const std::vector<std::string> arguments = {"run", workspace.experiment(), "-o", results};
  JournalWatch watch(results);
  ChildProcess stopped = start(mpi_command(2, arguments));
  ASSERT_TRUE(watch.wait_for_turns(stopped, 1)) << finish(stopped, 1).output;
  const ProcessHandles everything(process_tree(stopped.pid()));
  ASSERT_EQ(::kill(coordinator(results), SIGTERM), 0);
  EXPECT_EQ(finish(stopped).exit_code, 75);
  ASSERT_TRUE(everything.wait_for_end(deadline_in(60)));

  const CommandEnd resumed = ptxbatch(arguments);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), read_run(results)), "");
}

}  // namespace
}  // namespace ptxbatch
