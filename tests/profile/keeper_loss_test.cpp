// A keeper that dies, between evaluations and in the middle of one.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(JudgeTest, AKeeperKilledBetweenEvaluationsIsStartedAgain) {
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
  const auto keeper = children_named("ptxbatch-keeper");
  ASSERT_THAT(keeper, SizeIs(1));
  ::kill(keeper.front(), SIGKILL);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
  const auto next = children_named("ptxbatch-keeper");
  ASSERT_THAT(next, SizeIs(1));
  EXPECT_NE(next.front(), keeper.front());
}

TEST_F(JudgeTest, AKeeperKilledDuringAnEvaluationIsStartedAgainAndTheEvaluationRepeated) {
  JudgeConfig config = small_config(scratch());
  config.keeper_program = dying_keeper_program();
  use(config);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
  EXPECT_TRUE(std::filesystem::exists(scratch() + "/died-once"));
}

TEST_F(JudgeTest, AKeeperThatDiesEveryTimeIsAServiceFailure) {
  std::ofstream(scratch() + "/always") << "x";
  JudgeConfig config = small_config(scratch());
  config.keeper_program = dying_keeper_program();
  use(config);
  const Evaluation evaluation = evaluate("correct");
  EXPECT_EQ(evaluation.outcome, Outcome::kServiceFailure);
  EXPECT_THAT(evaluation.detail, HasSubstr("keeper"));
}

}  // namespace
}  // namespace ptxbatch
