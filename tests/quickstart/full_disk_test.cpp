// The disk fills up in the middle of a run: it ends resumable with a clear message, what was
// recorded is intact, and with room again the same command goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "common/file_system.h"
#include "results/lock_holder.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr int kTrajectories = 2;
constexpr int kTurns = 4;

// A file system of a few pages, unmounted when the test ends.
class SmallDisk {
 public:
  explicit SmallDisk(std::string folder, const std::string& size = "40k")
      : folder_(std::move(folder)) {
    std::filesystem::create_directory(folder_);
    mounted_ = ::mount("none", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  bool grow() { return ::mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

void expect_goes_on(const ProcessSpec& command, const std::string& results) {
  const CommandEnd resumed = run(command);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  const RunRecords records = read_run(results);
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), records), "");
  EXPECT_EQ(duplicates(records), "");
}

TEST(FullDisk, ends_the_run_resumable_and_keeps_what_was_recorded) {
  const Workspace workspace;
  workspace.write(SmallExperiment());
  SmallDisk disk(workspace.file("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  const std::string results = workspace.file("disk/out.h5");
  const ProcessSpec command = mpi_command(
      3, {"run", workspace.experiment(), "-o", results, "--log", workspace.file("log")});

  const CommandEnd end = run(command);
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("No space left on device"));
  EXPECT_GT(turns_in_journal(results), 0);
  EXPECT_LT(turns_in_journal(results), kTrajectories * kTurns);
  ASSERT_TRUE(disk.grow());
  expect_goes_on(command, results);
}

// What a quota does, for users who cannot mount: the journal may not grow any more.
// What a rank needs at its start fits, and what a compiler writes does not.
TEST(FullDisk, of_one_rank_costs_no_verdict_and_no_trajectory) {
  const Workspace workspace;
  workspace.write(SmallExperiment());
  const SmallDisk disk(workspace.file("disk"), "120k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  ProcessSpec command = mpi_command(3, {"run", workspace.experiment(), "-o", workspace.results()});
  const auto program = std::find_if(command.argv.begin(), command.argv.end(),
                                    [](const auto& word) { return word.ends_with("/ptxbatch"); });
  command.argv.insert(
      program,
      {"sh", "-c",
       "[ $OMPI_COMM_WORLD_RANK = 2 ] && export TMPDIR=" + workspace.file("disk") + "; exec \"$@\"",
       "sh"});
  const CommandEnd end = run(command);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("rank 2 takes no more work"));
  const RunRecords records = read_run(workspace.results());
  EXPECT_EQ(differences(expected_judgements("GEMM", kTrajectories, kTurns), records), "");
  EXPECT_EQ(duplicates(records), "");
}

TEST(FullDisk, a_journal_that_may_not_grow_ends_the_run_resumable) {
  const Workspace workspace;
  SmallExperiment small;
  small.models = recorded_model(quickstart_replies(), 0.02);
  workspace.write(small);
  const std::string results = workspace.results();
  const ProcessSpec command = mpi_command(3, {"run", workspace.experiment(), "-o", results});

  JournalWatch watch(results);
  ChildProcess limited = start(command);
  ASSERT_TRUE(watch.wait_for_turns(limited, 2)) << finish(limited, 1).output;
  const auto holder = LockHolder::parse(read_text(results + ".lock").value());
  ASSERT_TRUE(holder);
  const auto size = static_cast<rlim_t>(std::filesystem::file_size(results + ".journal"));
  const rlimit limit{size + 1, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(holder->pid, RLIMIT_FSIZE, &limit, nullptr), 0);
  const CommandEnd end = finish(limited);
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr("File too large"));
  EXPECT_GE(turns_in_journal(results), 2);
  expect_goes_on(command, results);
}

}  // namespace
}  // namespace ptxbatch
