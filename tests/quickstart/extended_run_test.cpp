// The real program: the same command again does nothing, a wider experiment goes on where the run
// ended, and what has begun keeps its messages when the knowledge pack has changed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_system.h"
#include "results/results_file.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;

SmallExperiment prose(const Workspace& workspace, int replicas, int turns) {
  SmallExperiment small;
  small.models = recorded_model(workspace.replies());
  small.protocol = fmt::format("turns = {}\n", turns);
  small.replicas = replicas;
  return small;
}

CommandEnd run_it(const Workspace& workspace) {
  return ptxbatch({"run", workspace.experiment(), "-o", workspace.results()});
}

TEST(ExtendedRun, by_turns_and_replicas_keeps_what_is_there) {
  const Workspace workspace;
  add_prose_replies(workspace, 3, 4);
  workspace.write(prose(workspace, 2, 2));
  ASSERT_EQ(run_it(workspace).exit_code, 0);
  const RunRecords before = read_run(workspace.results());
  EXPECT_EQ(before.turns.size(), 4U);

  workspace.write(prose(workspace, 3, 4));
  const CommandEnd wider = run_it(workspace);
  EXPECT_EQ(wider.exit_code, 0) << wider.output;
  EXPECT_THAT(wider.output, HasSubstr("turns 2 -> 4, replicas 2 -> 3, 1 more trajectories"));
  const RunRecords after = read_run(workspace.results());
  EXPECT_EQ(after.turns.size(), 12U);
  EXPECT_EQ(duplicates(after), "");
  for (std::size_t i = 0; i < before.turns.size(); ++i) EXPECT_EQ(after.turns[i], before.turns[i]);

  const CommandEnd again = run_it(workspace);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.output, HasSubstr("complete already"));
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 12U);
}

TEST(ExtendedRun, by_less_is_refused_with_the_difference) {
  const Workspace workspace;
  add_prose_replies(workspace, 2, 2);
  workspace.write(prose(workspace, 2, 2));
  ASSERT_EQ(run_it(workspace).exit_code, 0);
  workspace.write(prose(workspace, 1, 2));
  const CommandEnd end = run_it(workspace);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("- replicas = 2"));
  EXPECT_THAT(end.output, HasSubstr("+ replicas = 1"));
  EXPECT_THAT(end.output, HasSubstr("Only added to a run can be"));
}

}  // namespace
}  // namespace ptxbatch
