// `ptxbatch status` beside a run that is going on, as from another shell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/quickstart/command.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Status, follows_a_run_to_its_end) {
  const Workspace workspace;
  SmallExperiment small;
  small.models = recorded_model(quickstart_replies(), 0.05);
  workspace.write(small);
  const std::string results = workspace.results();
  JournalWatch watch(results);
  ChildProcess run = start(ptxbatch_command({"run", workspace.experiment(), "-o", results}));
  ASSERT_TRUE(watch.wait_until(run, [&] {
    return turns_in_journal(results) > 0 && std::filesystem::exists(results + ".status");
  })) << finish(run, 1).output;
  ChildProcess watcher =
      start(ptxbatch_command({"status", results, "--watch", "--interval", "0.1"}));
  const CommandEnd once = ptxbatch({"status", results, "--json"});
  EXPECT_EQ(once.exit_code, 0) << once.output;
  EXPECT_THAT(once.output, HasSubstr("\"state\": \"running\""));
  EXPECT_THAT(once.output, HasSubstr("\"ranks\": ["));
  const CommandEnd text = ptxbatch({"status", results});
  EXPECT_THAT(text.output, HasSubstr("1 rank:"));
  EXPECT_EQ(finish(run).exit_code, 0);

  const CommandEnd watched = finish(watcher);
  EXPECT_EQ(watched.exit_code, 0) << watched.output;
  const auto lines = lines_of(watched.output);
  EXPECT_THAT(lines.front(), StartsWith("running: "));
  EXPECT_THAT(lines.back(), StartsWith("complete: 8 turns ("));
  EXPECT_THAT(lines.back(), HasSubstr("2/2 trajectories"));
  EXPECT_THAT(watched.output, Not(HasSubstr("\x1b")));
  EXPECT_FALSE(std::filesystem::exists(results + ".status"));
}

}  // namespace
}  // namespace ptxbatch
