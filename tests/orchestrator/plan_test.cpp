#include "orchestrator/plan.h"

#include <gtest/gtest.h>

#include "orchestrator/experiment_file.h"
#include "orchestrator/installation.h"

namespace ptxbatch {
namespace {

Experiment two_by_two() {
  Experiment experiment;
  experiment.models.resize(2);
  experiment.models[0].name = "m0";
  experiment.models[1].name = "m1";
  experiment.targets = {{"host", "", "", 0}};
  ProblemSpec gemm;
  gemm.name = "GEMM";
  ProblemSpec mha;
  mha.name = "MHA-Fwd";
  experiment.problems = {gemm, mha};
  experiment.prompts = {{"base", {}, 0}, {"+more", {}, 0}, {"+most", {}, 0}};
  experiment.replicas = 4;
  return experiment;
}

TEST(Plan, IsTheProductInAFixedOrder) {
  const auto plan = expand_plan(two_by_two());
  ASSERT_EQ(plan.size(), 2U * 2U * 3U * 4U);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].index, static_cast<int>(i));
  EXPECT_EQ(plan[0].model, "m0");
  EXPECT_EQ(plan[12].problem, "MHA-Fwd");
  EXPECT_EQ(plan[24].model, "m1");
}

// protocol.md: trajectories 0-3 have tag 1, 4-7 tag 2, 8-11 tag 3.
TEST(Plan, BlocksOfConsecutiveTrajectoriesShareAPromptTag) {
  const auto plan = expand_plan(two_by_two());
  EXPECT_EQ(plan[3].id, "exp_003");
  EXPECT_EQ(plan[3].prompt_tag, "base");
  EXPECT_EQ(plan[4].prompt_tag, "+more");
  EXPECT_EQ(plan[11].prompt_tag, "+most");
  EXPECT_EQ(plan[11].prompt_block, 2);
  EXPECT_EQ(plan[11].replica, 3);
  EXPECT_EQ(plan[12].id, "exp_000") << "ids count within model, target and problem";
}

TEST(ShippedExperiments, TheQuickstartsAreRead) {
  for (const std::string name : {"quickstart", "quickstart_h100"}) {
    const auto experiment = read_experiment_file(problems_folder() + "/../" + name + ".toml");
    EXPECT_TRUE(experiment) << describe(experiment.error().front());
  }
}

}  // namespace
}  // namespace ptxbatch
