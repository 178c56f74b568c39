// slurm/paper.sbatch: what comes out at its end, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/slurm/stub_stage.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// In a clone of its own, with the profile's folders: nothing tracked changes, and git is not shown
// what was made.
class PaperScript : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* part : {"slurm", "experiments/paper", "results/paper"}) {
      std::filesystem::create_directories(stage_.file("clone/") + part);
      std::filesystem::copy(source_file(part), stage_.file("clone/") + part,
                            std::filesystem::copy_options::recursive);
    }
    std::filesystem::copy(source_file(".gitignore"), stage_.file("clone/.gitignore"));
    stage_.stub("mpirun", "while [[ $1 != */ptxbatch ]]; do shift; done; exec \"$@\"\n");
    ASSERT_EQ(git("init -q . && git add -A").exit_code, 0);
  }

  [[nodiscard]] CommandEnd git(const std::string& words) const {
    return stage_.bash({"-c", "cd clone && git " + words});
  }
  [[nodiscard]] CommandEnd paper() const {
    return stage_.bash(
        {stage_.file("clone/slurm/paper.sbatch")},
        {"PTXBATCH_HOME=" + stage_.file("clone"), "PTXBATCH_TARGET=hopper",
         "PTXBATCH_RESULTS=" + stage_.file("clone/results"), "PTXBATCH_LAUNCHER=mpirun"});
  }

  StubStage stage_;
};

TEST_F(PaperScript, leaves_the_papers_own_numbers_alone) {
  const CommandEnd end = paper();
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(stage_.read("clone/results/paper_runs/tables.csv"), "tables of ptxbatch\n");
  EXPECT_EQ(git("diff --stat").output, "");
  EXPECT_EQ(git("status --porcelain | grep -v ^A").output, "");
}

TEST_F(PaperScript, tells_numbers_that_differ_from_a_check_that_could_not_be_made) {
  stage_.write("check_code", "2");
  EXPECT_THAT(paper().output, HasSubstr("some numbers differ from the paper's"));
  EXPECT_EQ(stage_.read("clone/results/paper_runs/check.txt"), "checked\n");
  stage_.write("check_code", "1");
  EXPECT_THAT(paper().output, AllOf(HasSubstr("error: the numbers could not be held against"),
                                    Not(HasSubstr("some numbers differ"))));
}

}  // namespace
}  // namespace ptxbatch
