// The commands of the documentation, taken from its pages and run in a checkout of their own: what
// a reader types works, and prints what the page says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/file_system.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/page_blocks.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// The parts of a checkout that the pages name; what a page's commands write stays in it.
class Checkout {
 public:
  Checkout() {
    const std::filesystem::path program = ptxbatch_command({}).argv.front();
    std::filesystem::create_directories(file("build"));
    std::filesystem::create_directory_symlink(program.parent_path(), file("build/bin"));
    std::filesystem::copy(source_file("experiments"), file("experiments"),
                          std::filesystem::copy_options::recursive);
  }

  void write(const std::string& path, const std::string& text) const {
    if (auto done = write_text(file(path), text); !done) {
      throw std::runtime_error(describe(done.error()));
    }
  }

  /// Ends at the first command that fails.
  CommandEnd shell(const std::string& commands) const {
    ProcessSpec spec;
    spec.argv = {"/bin/bash", "-euo", "pipefail", "-c", "PATH=$PWD/build/bin:$PATH\n" + commands};
    spec.environment = tool_environment();
    spec.working_directory = file("");
    return run(spec);
  }

 private:
  [[nodiscard]] std::string file(const std::string& path) const { return folder_.file(path); }

  TestFolder folder_;
};

TEST(Documentation, a_problem_of_ones_own_is_made_by_the_commands_of_its_page) {
  const auto blocks = page_blocks("docs/extending.md", "## A problem: one JSON file and one line");
  ASSERT_THAT(blocks, SizeIs(5));  // the last shows a mistake
  const Checkout checkout;
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    ASSERT_EQ(blocks[i].language, "sh");
    const CommandEnd end = checkout.shell(blocks[i].text);
    ASSERT_EQ(end.exit_code, 0) << end.output;
    EXPECT_EQ(line_not_printed(blocks[i + 1].text, end.output), "") << end.output;
  }
}

TEST(Documentation, the_readmes_first_experiment_runs_as_it_is_written) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const auto blocks = page_blocks("README.md", "## Your first experiment");
  ASSERT_THAT(blocks, SizeIs(testing::Ge(2)));
  ASSERT_EQ(blocks[0].language, "toml");
  ASSERT_EQ(blocks[1].language, "sh");
  const Checkout checkout;
  checkout.write("experiments/first.toml", blocks[0].text);
  const CommandEnd end = checkout.shell(blocks[1].text);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("results/first.h5: 1 trajectories, 1 turns, 1 correct."));
  EXPECT_THAT(end.output, HasSubstr("results/first.html"));
}

TEST(Documentation, a_line_that_a_page_shows_and_no_command_prints_is_found) {
  EXPECT_EQ(line_not_printed("a 0.592\n...\nc\n", "a 0.6\nb\nc\n"), "");
  EXPECT_EQ(line_not_printed("a\nb\n", "b\na\n"), "b");
}

}  // namespace
}  // namespace ptxbatch
