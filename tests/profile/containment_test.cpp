// What a candidate cannot do. Each of these candidates tries, traps if it succeeds, and is correct
// when everything was refused.
#include <csignal>
#include <filesystem>

#include "ranks/profile/keeper_client.h"
#include "ranks/profile/runner_client.h"
#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class AttemptTest : public JudgeTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(AttemptTest, IsRefusedAndLeavesNothingBehind) {
  const Evaluation evaluation = evaluate(GetParam());
  EXPECT_EQ(evaluation.outcome, Outcome::kCorrect)
      << evaluation.detail << ", signal " << evaluation.signal;
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
  judge_.reset();
  EXPECT_THAT(processes_in(scratch()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(EachKind, AttemptTest,
                         ::testing::Values("attempts_to_unprotect_an_input",
                                           "attempts_to_write_through_proc", "attempts_to_fork",
                                           "attempts_to_work_on_in_a_thread",
                                           "attempts_to_use_the_network", "attempts_to_read_files",
                                           "attempts_to_write_files", "attempts_to_find_secrets",
                                           "attempts_to_reach_other_processes",
                                           "attempts_to_leave_the_sandbox"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(JudgeTest, ACandidateCannotTakeAllMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer reserves terabytes, so that its runner has no limit of addresses";
#endif
  EXPECT_EQ(evaluate("attempts_to_use_all_memory").outcome, Outcome::kCorrect);
}

TEST_F(JudgeTest, AKilledCandidateLeavesNoProcessAndNoFile) {
  JudgeConfig config = small_config(scratch());
  config.budgets.evaluate_s = 1;
  use(config);
  EXPECT_EQ(evaluate("ignores_signals_and_never_returns").outcome, Outcome::kTimedOut);
  EXPECT_THAT(children_named("ptxbatch-runner"), SizeIs(1)) << "the one standing by";
  judge_.reset();
  EXPECT_THAT(processes_in(scratch()), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(scratch()));
}

TEST_F(JudgeTest, ARunnerKilledWhileItStandsByIsReplaced) {
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
  const auto standby = children_named("ptxbatch-runner");
  ASSERT_THAT(standby, SizeIs(1));
  ::kill(standby.front(), SIGKILL);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

// What a candidate left going after run returned, or after it had its runner answer too early, does
// not go on while the outputs are compared.
TEST_F(JudgeTest, ACandidateIsStoppedBetweenItsCalls) {
  const JudgeConfig config = small_config(scratch());
  const Problem problem = gemm_problem();
  const std::string binary = candidate("correct");
  DeviceSigns signs;
  KeeperClient keeper({config.keeper_program, scratch(), {"host", config.device}, 1ULL << 30U},
                      signs);
  ASSERT_TRUE(keeper.ensure_running());
  const auto workload = keeper.open(problem, 42, 2);
  ASSERT_TRUE(workload);
  auto runner =
      RunnerClient::start({config.runner_program, scratch(), {"host", config.device}, {}});
  ASSERT_TRUE(runner && runner->wait_ready());
  ASSERT_TRUE(runner->load({binary, problem, workload->mappings, workload->fds}, 20));
  EXPECT_THAT(process_state(runner->pid()), StartsWith("T"));
  ASSERT_TRUE(keeper.prepare(0));
  ASSERT_TRUE(runner->call(20));
  EXPECT_THAT(process_state(runner->pid()), StartsWith("T"));
}

}  // namespace
}  // namespace ptxbatch
