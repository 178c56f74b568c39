// slurm/submit.sh, from a login node: what it checks, and what it hands to Slurm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/slurm/stub_stage.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SubmitScript : public testing::Test {
 protected:
  [[nodiscard]] CommandEnd submit(std::vector<std::string> arguments,
                                  const std::vector<std::string>& variables = {}) const {
    arguments.insert(arguments.begin(), source_file("slurm/submit.sh"));
    arguments.push_back(stage_.file("experiment.toml"));
    return stage_.bash(std::move(arguments), variables);
  }
  [[nodiscard]] CommandEnd submit_with_server() const {
    return submit({"--serve", "some/model", "QWEN_URL"});
  }

  StubStage stage_;
};

TEST_F(SubmitScript, submits_what_it_has_checked) {
  const CommandEnd end = submit({});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("job 101"));
  EXPECT_EQ(stage_.count_calls("ptxbatch doctor"), 1);
}

TEST_F(SubmitScript, without_its_profile_says_so) {
  const CommandEnd end = submit({"--dry-run"}, {"PTXBATCH_PROFILE=/no/profile"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, AllOf(HasSubstr("there is no profile /no/profile"),
                                Not(HasSubstr("unbound")), Not(HasSubstr("not found"))));
}

TEST_F(SubmitScript, refuses_as_a_profile_what_is_none) {
  const CommandEnd end =
      submit({"--dry-run"}, {"PTXBATCH_PROFILE=" + stage_.file("experiment.toml")});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, AllOf(HasSubstr("no profile"), Not(HasSubstr("unbound"))));
}

TEST_F(SubmitScript, shows_the_keys_to_doctor_and_not_to_sbatch) {
  stage_.write("keys", "export SOME_KEY=5up3r53cr3t\n");
  const CommandEnd end = submit({}, {"PTXBATCH_KEYS_FILE=" + stage_.file("keys")});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(stage_.read("doctor_environment"), HasSubstr("SOME_KEY=5up3r53cr3t"));
  EXPECT_THAT(stage_.read("sbatch_environment"),
              AllOf(HasSubstr("PTXBATCH_HOME"), Not(HasSubstr("5up3r53cr3t"))));
}

TEST_F(SubmitScript, lets_doctor_ask_a_model_that_is_served_already) {
  stage_.write("results/endpoints/QWEN_URL", "http://node7:8000/v1\n");
  EXPECT_EQ(submit({}).exit_code, 0);
  EXPECT_THAT(stage_.read("doctor_environment"), HasSubstr("QWEN_URL=http://node7:8000/v1"));
  EXPECT_THAT(stage_.read("sbatch_environment"), Not(HasSubstr("QWEN_URL")));
}

TEST_F(SubmitScript, takes_away_the_address_that_an_earlier_server_left) {
  stage_.write("results/endpoints/QWEN_URL", "http://node7:8000/v1\n");
  const CommandEnd end = submit_with_server();
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(stage_.read("results/endpoints/QWEN_URL"), "");
  EXPECT_EQ(stage_.count_calls("scancel"), 0);
  EXPECT_THAT(stage_.read("sbatch_environment"),
              AllOf(HasSubstr("PTXBATCH_AWAIT=QWEN_URL"), HasSubstr("PTXBATCH_SERVERS=101")));
}

TEST_F(SubmitScript, leaves_the_address_of_a_server_when_it_only_looks) {
  stage_.write("results/endpoints/QWEN_URL", "http://node7:8000/v1\n");
  EXPECT_EQ(submit({"--dry-run", "--serve", "some/model", "QWEN_URL"}).exit_code, 0);
  EXPECT_NE(stage_.read("results/endpoints/QWEN_URL"), "");
  EXPECT_EQ(stage_.count_calls("scancel"), 0);
}

TEST_F(SubmitScript, refuses_a_variable_that_is_none) {
  const CommandEnd end = submit({"--serve", "some/model", "../experiment.toml"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(stage_.count_calls("sbatch"), 0);
}

TEST_F(SubmitScript, cancels_the_server_of_a_run_that_is_refused) {
  stage_.stub("sbatch", "[[ $* != *sweep.sbatch* ]] && echo 101\n");
  const CommandEnd end = submit_with_server();
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_EQ(stage_.count_calls("scancel 101"), 1) << stage_.calls();
}

}  // namespace
}  // namespace ptxbatch
