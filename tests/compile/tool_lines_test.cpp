// Streams of lines from real processes.
#include "ranks/compile/tool_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

TEST(ToolLines, EachLineComesOnceTheLastWithoutItsEndToo) {
  std::vector<std::string> lines;
  const auto status = visit_tool_lines(shell("printf 'a\\n\\nb c\\nlast'"), 60,
                                       [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(status) << describe(status.error());
  EXPECT_THAT(lines, ElementsAre("a", "", "b c", "last"));
}

TEST(ToolLines, StderrIsNoLine) {
  std::vector<std::string> lines;
  const auto status = visit_tool_lines(shell("echo noise >&2; echo line"), 60,
                                       [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(status) << describe(status.error());
  EXPECT_THAT(lines, ElementsAre("line"));
}

TEST(ToolLines, MuchOutputArrivesWhole) {
  std::size_t bytes = 0;
  std::size_t lines = 0;
  const auto status = visit_tool_lines(shell("seq 1 1000000"), 120, [&](std::string_view line) {
    bytes += line.size() + 1;
    ++lines;
  });
  ASSERT_TRUE(status) << describe(status.error());
  EXPECT_EQ(lines, 1'000'000U);
  EXPECT_EQ(bytes, 6'888'896U);
}

TEST(ToolLines, AFailureCarriesTheExitCodeAndWhatTheToolSaid) {
  const auto status =
      visit_tool_lines(shell("echo broken file >&2; exit 3"), 60, [](std::string_view) {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, AllOf(HasSubstr("exited with 3"), HasSubstr("broken file")));
}

TEST(ToolLines, AToolThatHangsIsStopped) {
  const auto status = visit_tool_lines(shell("sleep 1000"), 0.2, [](std::string_view) {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("took too long"));
}

TEST(ToolLines, AToolThatWritesWithoutEndIsStopped) {
  const auto status = visit_tool_lines(shell("yes"), 0.2, [](std::string_view) {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("took too long"));
}

TEST(ToolLines, AProgramThatIsNotThereIsAnError) {
  EXPECT_FALSE(visit_tool_lines({"/no/such/tool"}, 60, [](std::string_view) {}));
}

}  // namespace
}  // namespace ptxbatch
