// The batch scripts as jobs: steps that die, models that go away, a Slurm that does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/slurm/stub_stage.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kServed = "PTXBATCH_AWAIT=QWEN_URL";
constexpr const char* kServer = "PTXBATCH_SERVERS=99";
constexpr const char* kEndpoint = "results/endpoints/QWEN_URL";
constexpr const char* kCancelledMeanwhile =
    "[[ ! -e stopped ]] || { echo 'JobId=100 JobState=COMPLETING Restarts=0 BatchFlag=1 '; exit; "
    "}\n"
    "echo 'JobId=100 JobState=RUNNING Restarts=0 BatchFlag=1 '\n";
constexpr const char* kRequeuedMeanwhile =
    "[[ ! -e stopped ]] || { echo 'JobId=100 JobState=COMPLETING Restarts=1 BatchFlag=1 '; exit; "
    "}\n"
    "echo 'JobId=100 JobState=RUNNING Restarts=0 BatchFlag=1 '\n";
constexpr const char* kSilent = "exit 1\n";

class JobScripts : public testing::Test {
 protected:
  [[nodiscard]] CommandEnd sweep(const std::vector<std::string>& variables = {}) const {
    return stage_.job(
        {source_file("slurm/sweep.sbatch"), stage_.file("experiment.toml"), stage_.file("out.h5")},
        variables);
  }
  [[nodiscard]] CommandEnd serve() const {
    return stage_.job({source_file("slurm/serve_model.sbatch"), "some/model", "QWEN_URL"},
                      {"PTXBATCH_SERVE_COMMAND=server"});
  }
  [[nodiscard]] int steps_run() const { return stage_.count_calls("ptxbatch run"); }
  [[nodiscard]] bool server_cancelled() const { return stage_.count_calls("scancel 99") > 0; }

  StubStage stage_;
};

TEST_F(JobScripts, a_step_that_died_is_started_again) {
  stage_.steps({"turns 3; exit 9", "turns 5"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(steps_run(), 2);
  EXPECT_THAT(end.output, HasSubstr("turns done: 0 -> 3"));
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, without_its_profile_a_job_says_so_and_ends_its_server) {
  const CommandEnd end = sweep({kServer, "PTXBATCH_PROFILE=/no/profile"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output,
              AllOf(HasSubstr("there is no profile /no/profile"), Not(HasSubstr("not found"))));
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, a_job_that_cannot_begin_ends_its_server) {
  const CommandEnd end = sweep({kServer, "PTXBATCH_PROGRAM=/no/program"});
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, a_cancelled_job_ends_its_server) {
  stage_.stub("scontrol", kCancelledMeanwhile);
  stage_.steps({"touch stopped; kill -TERM $PPID; exit 75"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("submit it again"));
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, a_job_that_somebody_requeued_keeps_its_server) {
  stage_.stub("scontrol", kRequeuedMeanwhile);
  stage_.steps({"touch stopped; kill -TERM $PPID; exit 75"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_FALSE(server_cancelled());
  EXPECT_EQ(stage_.count_calls("scontrol requeue"), 0);
}

TEST_F(JobScripts, ahead_of_its_time_limit_a_job_requeues_itself_and_keeps_its_server) {
  stage_.steps({"kill -USR1 $PPID; exit 75"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_EQ(stage_.count_calls("scontrol requeue 100"), 1);
  EXPECT_FALSE(server_cancelled());
}

TEST_F(JobScripts, a_slurm_that_does_not_answer_ends_no_job) {
  stage_.stub("scontrol", kSilent);
  stage_.steps({"turns 1; exit 9", "turns 5"});
  const CommandEnd end = sweep();
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(steps_run(), 2);
}

TEST_F(JobScripts, a_requeue_that_is_refused_is_not_called_one) {
  stage_.stub("scontrol", kSilent);
  stage_.steps({"kill -USR1 $PPID; exit 75"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_EQ(stage_.count_calls("scontrol requeue 100"), 1);
  EXPECT_THAT(end.output, AllOf(HasSubstr("Slurm did not requeue the job"),
                                Not(HasSubstr("the job is requeued"))));
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, a_run_that_has_reached_its_limit_is_not_started_again) {
  stage_.steps({"turns 3; echo true >limit_reached; exit 75"});
  const CommandEnd end = sweep({kServer});
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_EQ(steps_run(), 1);
  EXPECT_THAT(end.output, HasSubstr("spending limit"));
  EXPECT_TRUE(server_cancelled());
}

TEST_F(JobScripts, what_failed_with_its_server_is_tried_again_at_the_new_address) {
  stage_.write(kEndpoint, "http://node1:8000/v1\n");
  stage_.steps(
      {"turns 3; echo http://node2:8000/v1 >results/endpoints/QWEN_URL; exit 2", "turns 6"});
  const CommandEnd end = sweep({kServed});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(stage_.read("step_environment.1"), HasSubstr("QWEN_URL=http://node1:8000/v1"));
  EXPECT_THAT(stage_.read("step_environment.2"), HasSubstr("QWEN_URL=http://node2:8000/v1"));
}

TEST_F(JobScripts, what_fails_while_its_server_answers_is_not_tried_for_ever) {
  stage_.write(kEndpoint, "http://node1:8000/v1\n");
  stage_.steps({"turns 3; exit 2", "exit 2"});
  EXPECT_EQ(sweep({kServed}).exit_code, 2);
  EXPECT_EQ(steps_run(), 2);
}

TEST_F(JobScripts, what_fails_without_a_server_of_the_cluster_is_final) {
  stage_.steps({"turns 3; exit 2"});
  EXPECT_EQ(sweep().exit_code, 2);
  EXPECT_EQ(steps_run(), 1);
}

// Its server was killed, and is not back yet.
TEST_F(JobScripts, an_address_where_nothing_answers_is_waited_for) {
  stage_.write(kEndpoint, "http://node1:8000/v1\n");
  stage_.stub("curl", "(($(grep -c ^curl calls) > 3))\n");
  stage_.steps({"turns 6"});
  const CommandEnd end = sweep({kServed});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("waiting for the server of QWEN_URL"));
  EXPECT_EQ(stage_.count_calls("curl"), 4);
}

TEST_F(JobScripts, a_server_that_has_ended_is_not_waited_for) {
  for (const char* squeue :
       {"", "echo 'slurm_load_jobs error: Invalid job id specified'; exit 1\n"}) {
    stage_.stub("squeue", squeue);
    const CommandEnd end = sweep({kServed, kServer});
    EXPECT_EQ(end.exit_code, 1) << end.output;
    EXPECT_THAT(end.output, HasSubstr("the server of QWEN_URL has ended"));
  }
  EXPECT_EQ(steps_run(), 0);
}

TEST_F(JobScripts, a_server_of_which_slurm_says_nothing_is_waited_for) {
  stage_.stub("squeue", "exit 1\n");
  const CommandEnd end = sweep({kServed, kServer, "PTXBATCH_AWAIT_S=2"});
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("no server answers"));
}

TEST_F(JobScripts, a_server_that_crashes_comes_back) {
  stage_.stub("server", "until [[ -s results/endpoints/QWEN_URL ]]; do sleep 1; done; exit 9\n");
  const CommandEnd end = serve();
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_EQ(stage_.count_calls("scontrol requeue 100"), 1);
  EXPECT_EQ(stage_.read(kEndpoint), "");
}

TEST_F(JobScripts, a_server_that_never_was_ready_ends_with_its_code) {
  stage_.stub("curl", "exit 7\n");
  stage_.stub("server", "exit 9\n");
  stage_.write(kEndpoint, "http://node1:8000/v1\n");  // of one before it, which was killed
  const CommandEnd end = serve();
  EXPECT_EQ(end.exit_code, 9) << end.output;
  EXPECT_EQ(stage_.count_calls("scontrol requeue"), 0);
  EXPECT_EQ(stage_.read(kEndpoint), "");
}

}  // namespace
}  // namespace ptxbatch
