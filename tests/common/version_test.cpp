// Which commit a build says it is of, in repositories of the test's own.
#include "common/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/file_system.h"
#include "common/process.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

class VersionTest : public testing::Test {
 protected:
  static void run(std::vector<std::string> argv, const std::string& folder) {
    ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.working_directory = folder;
    spec.environment = tool_environment();
    const auto done = run_process(spec, 60);
    ASSERT_TRUE(done && done->end.ok()) << (done ? done->output : describe(done.error()));
  }

  void git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {*git_, "-c", "user.name=A", "-c", "user.email=a@example.org"});
    run(std::move(arguments), source_);
  }

  void commit() const {
    ASSERT_TRUE(write_text(source_ + "/tracked", "1"));
    git({"init", "-q"});
    git({"add", "tracked"});
    git({"commit", "-q", "-m", "first"});
  }

  [[nodiscard]] std::string built_commit() const { return built_commit(source_); }
  /// What stands behind `kGitCommit = ` after a build of what is in `source`.
  [[nodiscard]] std::string built_commit(const std::string& source) const {
    run({PTXBATCH_CMAKE, "-DGIT=" + git_.value_or(""), "-DSOURCE=" + source, "-DVERSION=1.2.3",
         "-DOUTPUT=" + output_, "-P", PTXBATCH_WRITE_VERSION},
        source);
    const std::string text = read_text(output_).value_or("");
    EXPECT_THAT(text, HasSubstr("kVersion = \"1.2.3\";"));
    const std::string before = "kGitCommit = \"";
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find('"', begin) - begin);
  }

  void SetUp() override {
    if (!git_) GTEST_SKIP() << describe(git_.error());
    fs::create_directories(source_);
  }

  TestFolder folder_;
  const std::string source_ = folder_.file("source");
  const std::string output_ = folder_.file("version.cpp");
  const Result<std::string> git_ = find_program("git");
};

TEST_F(VersionTest, IsNotMerelyThatOfTheFirstBuild) {
  commit();
  const std::string first = built_commit();
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{12}"));
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  EXPECT_THAT(built_commit(), MatchesRegex("[0-9a-f]{12}"));
  EXPECT_NE(built_commit(), first);
}

TEST_F(VersionTest, SaysThatFilesWhichGitKnowsWereChanged) {
  commit();
  const std::string clean = built_commit();
  ASSERT_TRUE(write_text(source_ + "/untracked", "1"));
  EXPECT_EQ(built_commit(), clean);
  ASSERT_TRUE(write_text(source_ + "/tracked", "2"));
  EXPECT_EQ(built_commit(), clean + "-dirty");
  git({"checkout", "-q", "tracked"});
  EXPECT_EQ(built_commit(), clean);
}

TEST_F(VersionTest, OfAWorktreeIsItsOwn) {
  commit();
  const std::string clean = built_commit();
  const std::string other = folder_.file("other");
  git({"worktree", "add", "-q", other});
  ASSERT_TRUE(write_text(other + "/tracked", "2"));
  EXPECT_EQ(built_commit(other), clean + "-dirty");
  EXPECT_EQ(built_commit(), clean);
}

// As an archive, perhaps unpacked in somebody else's repository.
TEST_F(VersionTest, WithoutARepositoryOfItsOwnIsUnknown) {
  commit();
  const std::string unpacked = source_ + "/unpacked";
  fs::create_directories(unpacked);
  EXPECT_EQ(built_commit(unpacked), "unknown");
}

TEST_F(VersionTest, IsWrittenOnlyWhenItChanges) {
  commit();
  const std::string first = built_commit();
  fs::last_write_time(output_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto written = fs::last_write_time(output_);
  EXPECT_EQ(built_commit(), first);
  EXPECT_EQ(fs::last_write_time(output_), written);
}

TEST(Version, OfThisProgramIsThatOfItsBuild) {
  EXPECT_STRNE(kVersion, "");
  EXPECT_STRNE(kGitCommit, "");
}

}  // namespace
}  // namespace ptxbatch
