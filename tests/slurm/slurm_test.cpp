// Batch jobs on a real Slurm of four nodes with two ranks each: whatever strikes them, the run ends
// with the tables of an undisturbed one, and no turn and no reply is there twice. Those that take
// minutes run with PTXBATCH_SLURM_TESTS=all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "common/file_system.h"
#include "results/lock_holder.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"
#include "tests/quickstart/table_rows.h"
#include "tests/slurm/slurm_cluster.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr int kSkipped = 77;
constexpr int kTrajectories = 5;
constexpr int kTurns = 3;
// Four nodes share this machine's cores: enough calls that their median is not the load's.
constexpr const char* kProtocol = "turns = 3\nwarmups = 1\niterations = 21\npair_blocks = 1\n";
constexpr double kPatienceS = 1200;  // of a machine that does much else

// One for all tests of this program: a cluster takes seconds to start and to stop.
std::unique_ptr<SlurmCluster> cluster;

bool long_tests_wanted() {
  const char* which = std::getenv("PTXBATCH_SLURM_TESTS");
  return which != nullptr && std::string(which) == "all";
}

// On which nothing listens at the moment.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

class Slurm : public testing::Test {
 protected:
  void SetUp() override { write_experiment(0.02); }

  // `replay_latency`: of the recorded replies.
  void write_experiment(double replay_latency) {
    SmallExperiment small;
    small.models = recorded_model(quickstart_replies(), replay_latency);
    small.replicas = kTrajectories;
    small.protocol = kProtocol;
    workspace_.write(small);
  }

  void TearDown() override {
    if (!job_.empty() && !cluster->ended(job_)) cluster->run({"scancel", job_});
    if (HasFailure()) std::printf("%s\n", log().c_str());
  }

  // As a user submits, with `settings` of slurm/profile.sh and options of submit.sh.
  void submit(const std::vector<std::string>& settings = {},
              const std::vector<std::string>& options = {}) {
    std::vector<std::string> variables = {"PTXBATCH_PROGRAM=" + ptxbatch_command({}).argv.front(),
                                          "PTXBATCH_RESULTS=" + workspace_.file("."),
                                          "PTXBATCH_NODES=4",
                                          "PTXBATCH_GPU_TYPE=h100",
                                          "PTXBATCH_GPUS_PER_NODE=2",
                                          "PTXBATCH_CPUS_PER_RANK=1",
                                          "PTXBATCH_TIME=30",
                                          "PTXBATCH_STOP_LEAD_S=60",
                                          "PTXBATCH_MPI_START_S=60"};
    variables.insert(variables.end(), settings.begin(), settings.end());
    std::vector<std::string> command = {"/bin/bash", source_file("slurm/submit.sh")};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {workspace_.experiment(), workspace_.results()});
    const auto submitted = cluster->run(std::move(command), variables);
    ASSERT_TRUE(submitted.end.ok()) << submitted.output;
    const auto at = submitted.output.rfind("\njob ") + 5;
    job_ = submitted.output.substr(at, submitted.output.find(';', at) - at);
  }

  // Waits for so many judged turns, of all sessions; false when the job ends before.
  bool reach(int turns) {
    bool ended = false;
    wait_until(kPatienceS, [&] {
      if (turns_in_journal(workspace_.results()) >= turns) return true;
      ended = cluster->ended(job_);
      return ended;
    });
    return !ended;
  }

  void wait_for_end() {
    ASSERT_TRUE(wait_until(kPatienceS, [&] { return cluster->ended(job_); }))
        << cluster->state(job_);
  }

  // A job that is requeued waits for a while, unless it is told not to.
  void wait_for_restart(int restarts) {
    ASSERT_TRUE(wait_until(kPatienceS, [&] {
      const std::string job = cluster->run({"scontrol", "-o", "show", "job", job_}).output;
      return job.find(" Restarts=" + std::to_string(restarts) + " ") != std::string::npos &&
             cluster->state(job_) == "RUNNING";
    })) << cluster->state(job_);
  }

  std::string log() const {
    return read_text(workspace_.file("slurm/ptxbatch-sweep-" + job_ + ".log")).value_or("no log");
  }

  // The job has ended well, and nothing shows that it was disturbed.
  void expect_undisturbed_results() {
    wait_for_end();
    EXPECT_EQ(cluster->state(job_), "COMPLETED");
    const RunRecords records = read_run(workspace_.results());
    const Judgements expected = expected_judgements("GEMM", kTrajectories, kTurns);
    EXPECT_EQ(differences(expected, records), "");
    EXPECT_EQ(duplicates(records), "");
    const CommandEnd csv =
        ptxbatch({"tables", workspace_.results(), "--format", "csv", "--turns", "1,3"});
    EXPECT_EQ(differences(expected_correctness(expected, kTrajectories, {1, kTurns}),
                          printed_cells(csv.output, "turn_correctness_pct")),
              "");
  }

  Workspace workspace_;
  std::string job_;
};

TEST_F(Slurm, four_nodes_of_two_ranks_give_what_one_process_gives) {
  submit();
  ASSERT_TRUE(reach(1));
  EXPECT_THAT(ptxbatch({"status", workspace_.results()}).output, HasSubstr("allocation"));
  expect_undisturbed_results();
  EXPECT_THAT(log(), HasSubstr("--ntasks=9"));
  const auto run_log = read_text(workspace_.results() + ".log");
  ASSERT_TRUE(run_log);
  EXPECT_THAT(*run_log, HasSubstr("8 working ranks"));
  EXPECT_THAT(*run_log, HasSubstr("the allocation ends in"));
  EXPECT_TRUE(real_file_system().exists(workspace_.file("out.html")));
}

TEST_F(Slurm, a_launcher_that_mpi_does_not_know_is_refused_before_anything_is_opened) {
  submit({"PTXBATCH_MPI=pmi2"});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "FAILED");
  EXPECT_THAT(log(), HasSubstr("srun started 9 processes, but MPI joined only 1 of them"));
  EXPECT_THAT(log(), HasSubstr("PTXBATCH_MPI"));
  for (const char* file : {"", ".journal", ".lock", ".log"}) {
    EXPECT_FALSE(real_file_system().exists(workspace_.results() + file)) << file;
  }
}

TEST_F(Slurm, a_requeue_and_a_killed_step_cost_nothing_that_was_finished) {
  submit();
  ASSERT_TRUE(reach(3));
  cluster->answer({"scontrol", "requeue", job_});
  ASSERT_NO_FATAL_FAILURE(wait_for_restart(1));
  ASSERT_TRUE(reach(turns_in_journal(workspace_.results()) + 3));
  cluster->answer({"scancel", "--signal=KILL", job_ + ".0"});
  expect_undisturbed_results();
  EXPECT_THAT(log(), HasSubstr("restart 1"));
}

// Another node's process cannot be looked at: Slurm is asked.
TEST_F(Slurm, the_lock_of_another_job_stands_for_as_long_as_that_job) {
  SmallExperiment small;
  small.models = recorded_model(workspace_.replies());
  small.replicas = 1;
  small.protocol = "turns = 1\n";
  add_prose_replies(workspace_, 1, 1);
  workspace_.write(small);
  const std::string other =
      cluster->answer({"sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 600"});
  LockHolder holder = LockHolder::current();
  holder.host = "elsewhere";
  holder.cluster = "onemachine";
  holder.job_id = other;
  workspace_.write("out.h5.lock", holder.to_text());

  submit({"PTXBATCH_NODES=1"});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "FAILED");
  EXPECT_THAT(log(), HasSubstr("the output is being written by process"));

  cluster->answer({"scancel", other});
  ASSERT_TRUE(wait_until(kPatienceS, [&] { return cluster->ended(other); }));
  submit({"PTXBATCH_NODES=1"});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "COMPLETED");
}

TEST_F(Slurm, a_server_that_crashes_comes_back_and_ends_with_its_run) {
  SmallExperiment small;
  small.models =
      "[[models]]\nname = \"m\"\nprovider = \"openai\"\nmodel = \"m\"\nurl_env = \"M_URL\"\n"
      "retries = { attempts = 2, first_delay_s = 0.001, longest_delay_s = 0.002 }\n";
  small.protocol = "turns = 4\n";
  workspace_.write(small);
  submit({"PTXBATCH_NODES=1", "PTXBATCH_SERVE_GPUS=0",
          "PTXBATCH_SERVE_PORT=" + std::to_string(free_port()),
          "PTXBATCH_SERVE_COMMAND=python3 " + source_file("tests/slurm/prose_server.py") +
              " {port} " + workspace_.file("died")},
         {"--serve", "m", "M_URL"});
  const std::string server =
      cluster->answer({"squeue", "--noheader", "--name=ptxbatch-serve", "--format=%i"});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "COMPLETED");
  EXPECT_TRUE(real_file_system().exists(workspace_.file("died")));
  EXPECT_EQ(read_run(workspace_.results()).turns.size(), 2U * 4U);
  ASSERT_TRUE(wait_until(kPatienceS, [&] { return cluster->ended(server); }));
  EXPECT_EQ(cluster->state(server), "CANCELLED");
}

TEST_F(Slurm, a_cancelled_job_goes_on_when_it_is_submitted_again) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  submit();
  ASSERT_TRUE(reach(3));
  cluster->answer({"scancel", job_});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "CANCELLED");
  EXPECT_FALSE(real_file_system().exists(workspace_.results() + ".lock"));
  submit();
  expect_undisturbed_results();
}

// Slurm may send the signal up to a minute early: a session has 20 to 80 s, in which it begins
// replies of half a minute each and finishes them, and less than the three of a trajectory take.
TEST_F(Slurm, ahead_of_its_time_limit_a_job_stops_and_comes_back) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  write_experiment(0.7);
  submit({"PTXBATCH_TIME=3", "PTXBATCH_STOP_LEAD_S=100"});
  expect_undisturbed_results();
  EXPECT_THAT(log(), HasSubstr("signal USR1"));
  EXPECT_THAT(log(), HasSubstr("requeued"));
}

TEST_F(Slurm, a_time_limit_that_strikes_unannounced_loses_turns_in_hand_at_most) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  write_experiment(1);
  submit({"PTXBATCH_TIME=1", "PTXBATCH_STOP_LEAD_S=1"});
  wait_for_end();
  EXPECT_EQ(cluster->state(job_), "TIMEOUT");
  submit();
  expect_undisturbed_results();
}

TEST_F(Slurm, a_node_set_down_twice_in_a_row_brings_the_job_back) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  submit();
  for (int time = 1; time <= 2; ++time) {
    ASSERT_TRUE(reach(4 * time));
    cluster->answer({"scontrol", "update", "NodeName=n3", "State=DOWN", "Reason=test"});
    ASSERT_TRUE(wait_until(kPatienceS, [&] { return cluster->state(job_) == "PENDING"; }));
    // Refused where the node has come back by itself.
    cluster->run({"scontrol", "update", "NodeName=n3", "State=RESUME"});
    ASSERT_NO_FATAL_FAILURE(wait_for_restart(time));
  }
  expect_undisturbed_results();
}

TEST_F(Slurm, two_killed_steps_in_a_row_are_started_again) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  submit();
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(reach(4 * (step + 1)));
    cluster->answer({"scancel", "--signal=KILL", job_ + "." + std::to_string(step)});
  }
  expect_undisturbed_results();
}

TEST_F(Slurm, a_coordinator_on_a_node_of_its_own) {
  if (!long_tests_wanted()) GTEST_SKIP() << "takes minutes; PTXBATCH_SLURM_TESTS=all runs it";
  submit(
      {"PTXBATCH_NODES=3", "PTXBATCH_COORDINATOR_PARTITION=test", "PTXBATCH_COORDINATOR_CPUS=1"});
  expect_undisturbed_results();
  const auto run_log = read_text(workspace_.results() + ".log");
  ASSERT_TRUE(run_log);
  EXPECT_THAT(*run_log, HasSubstr("6 working ranks"));
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ptxbatch::cluster = std::make_unique<ptxbatch::SlurmCluster>();
  if (ptxbatch::cluster->unavailable()) {
    std::printf("%s\n", ptxbatch::cluster->unavailable()->c_str());
    ptxbatch::cluster.reset();
    return ptxbatch::kSkipped;
  }
  const int result = RUN_ALL_TESTS();
  ptxbatch::cluster.reset();
  return result;
}
