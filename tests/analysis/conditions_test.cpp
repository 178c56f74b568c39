#include "analysis/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

TEST(Conditions, EqualConditionsOfDifferentFilesArePooled) {
  TurnTable first = empty_table(1);
  add_trajectory(first, {"a", "GEMM"}, {});
  add_trajectory(first, {"b", "GEMM"}, {});
  TurnTable second = empty_table(1);
  add_trajectory(second, {"b", "GEMM"}, {});

  const std::vector<TurnTable> tables = {first, second};
  const Conditions conditions = group_trajectories(tables);

  ASSERT_EQ(conditions.list.size(), 2U);
  EXPECT_EQ(conditions.list[0].trajectories, 1);
  EXPECT_EQ(conditions.list[1].trajectories, 2);
  EXPECT_EQ(conditions.places[1][0].condition, 1U);
}

TEST(Conditions, ModelTargetAndProblemEachMakeAConditionOfItsOwn) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {"a", "GEMM", "base", "hopper"}, {});
  add_trajectory(table, {"a", "MHA", "base", "hopper"}, {});
  add_trajectory(table, {"a", "GEMM", "base", "blackwell"}, {});
  add_trajectory(table, {"b", "GEMM", "base", "hopper"}, {});
  EXPECT_EQ(group_trajectories({&table, 1}).list.size(), 4U);
}

TEST(Conditions, DefinitionAndWorkloadEachMakeAProblemOfItsOwn) {
  TurnTable first = empty_table(1);
  add_trajectory(first, {"a", "GEMM", "base", "hopper", "gemm", "small"}, {});
  add_trajectory(first, {"a", "MHA", "base", "hopper", "mha", "small"}, {});
  TurnTable second = empty_table(1);
  add_trajectory(second, {"a", "GEMM", "base", "hopper", "gemm", "large"}, {});
  TurnTable third = empty_table(1);
  add_trajectory(third, {"a", "GEMM", "base", "hopper", "gemm_f32", "small"}, {});

  const std::vector<TurnTable> tables = {first, second, third};
  const Conditions conditions = group_trajectories(tables);

  std::vector<std::string> problems;
  for (const Condition& condition : conditions.list) problems.push_back(condition.problem);
  EXPECT_THAT(problems, ElementsAre("GEMM (gemm, workload small)", "MHA",
                                    "GEMM (gemm, workload large)", "GEMM (gemm_f32)"));
  EXPECT_FALSE(conditions.list[1].shares_name);
}

TEST(Conditions, PromptTagsAreThoseOfTheConditionAlone) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {"a", "GEMM", "base"}, {});
  add_trajectory(table, {"a", "GEMM", "cluster"}, {});
  add_trajectory(table, {"a", "MHA", "ping-pong"}, {});
  add_trajectory(table, {"a", "GEMM", "base"}, {});

  const Conditions conditions = group_trajectories({&table, 1});

  EXPECT_THAT(conditions.list[0].prompt_tags, ElementsAre("base", "cluster"));
  EXPECT_THAT(conditions.list[1].prompt_tags, ElementsAre("ping-pong"));
  EXPECT_EQ(conditions.places[0][1].prompt_tag, 1U);
  EXPECT_EQ(conditions.places[0][3].prompt_tag, 0U);
}

TEST(Conditions, AGridHasAHoleWhereAModelSkipsAProblem) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {"a", "GEMM"}, {});
  add_trajectory(table, {"b", "MHA"}, {});
  const Conditions conditions = group_trajectories({&table, 1});

  const ConditionGrid grid = arrange(conditions, std::vector<std::uint32_t>{0, 1});

  EXPECT_THAT(grid.problems, ElementsAre("GEMM", "MHA"));
  ASSERT_EQ(grid.rows.size(), 2U);
  EXPECT_THAT(grid.rows[0].cells, ElementsAre(0U, std::nullopt));
  EXPECT_THAT(grid.rows[1].cells, ElementsAre(std::nullopt, 1U));
  EXPECT_FALSE(grid.several_targets);
}

TEST(Conditions, ATurnOfAnUnplannedTrajectoryIsRefused) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(1)});
  table.trajectory[0] = 7;
  const Conditions conditions = group_trajectories({&table, 1});
  EXPECT_THROW(for_each_turn({&table, 1}, conditions, [](auto, const auto&, auto) {}),
               std::out_of_range);
}

}  // namespace
}  // namespace ptxbatch
