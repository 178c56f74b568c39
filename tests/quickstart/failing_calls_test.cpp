// The whole program on file systems that fail: what is on disk stays intact, it says what is wrong,
// and when the cause is gone the same command goes on to the same end. The failures come from a
// library loaded before the C library (preload/failing_calls.cpp), so that the journal, the lock
// and HDF5 all meet them where they would.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <ostream>

#include "common/file_system.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr int kTrajectories = 2;
constexpr int kTurns = 3;

class FailingCalls : public testing::Test {
 protected:
  void SetUp() override {
    SmallExperiment small;
    small.models = recorded_model(workspace_.replies());
    small.protocol = fmt::format("turns = {}\n", kTurns);
    small.replicas = kTrajectories;
    workspace_.write(small);
    add_prose_replies(workspace_, kTrajectories, kTurns);
  }

  [[nodiscard]] CommandEnd with(const std::vector<std::string>& variables,
                                const std::vector<std::string>& arguments) const {
    ProcessSpec spec = ptxbatch_command(arguments);
    spec.environment.emplace_back(std::string("LD_PRELOAD=") + PTXBATCH_FAILING_CALLS);
    spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
    return run(spec);
  }
  [[nodiscard]] std::vector<std::string> run_arguments() const {
    return {"run", workspace_.experiment(), "-o", results_};
  }
  void expect_complete() const {
    const RunRecords records = read_run(results_);
    EXPECT_EQ(records.turns.size(), static_cast<std::size_t>(kTrajectories * kTurns));
    EXPECT_EQ(duplicates(records), "");
    EXPECT_FALSE(real_file_system().exists(results_ + ".journal"));
    EXPECT_FALSE(real_file_system().exists(results_ + ".lock"));
  }
  /// The fault is gone.
  void expect_goes_on() const {
    const CommandEnd end = ptxbatch(run_arguments());
    EXPECT_EQ(end.exit_code, 0) << end.output;
    expect_complete();
  }

  Workspace workspace_;
  std::string results_ = workspace_.results();
};

struct FlockError {
  const char* name;
  int number;
};
std::ostream& operator<<(std::ostream& out, const FlockError& error) {
  return out << error.name;
}

class FlockFails : public FailingCalls, public testing::WithParamInterface<FlockError> {};

// Also where the user's environment asks HDF5 for its own lock.
TEST_P(FlockFails, and_run_status_tables_and_recover_work_all_the_same) {
  const std::vector<std::string> variables = {fmt::format("FAILING_FLOCK={}", GetParam().number),
                                              "HDF5_USE_FILE_LOCKING=TRUE"};
  const CommandEnd end = with(variables, run_arguments());
  EXPECT_EQ(end.exit_code, 0) << end.output;
  expect_complete();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"status", results_}, {"tables", results_}, {"recover", results_}, run_arguments()}) {
    const CommandEnd reading = with(variables, arguments);
    EXPECT_EQ(reading.exit_code, 0) << arguments[0] << ": " << reading.output;
  }
}

INSTANTIATE_TEST_SUITE_P(With, FlockFails,
                         testing::Values(FlockError{"EAGAIN", 11}, FlockError{"ENOLCK", 37},
                                         FlockError{"ENOSYS", 38}, FlockError{"ENOTSUPP", 524}),
                         [](const auto& error) { return std::string(error.param.name); });

struct Failure {
  const char* name;
  std::string call;  // as FAILING_CALL
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  return out << failure.name;
}

class CallFails : public FailingCalls, public testing::WithParamInterface<Failure> {};

TEST_P(CallFails, and_the_run_stops_resumable_says_why_and_goes_on) {
  const CommandEnd end = with({"FAILING_CALL=" + GetParam().call}, run_arguments());
  EXPECT_EQ(end.exit_code, 75) << end.output;
  EXPECT_THAT(end.output, HasSubstr(GetParam().message));
  EXPECT_THAT(end.output, HasSubstr("Run the same command again"));
  EXPECT_TRUE(real_file_system().exists(results_ + ".journal")) << "it holds what was recorded";
  expect_goes_on();
}

INSTANTIATE_TEST_SUITE_P(
    Of, CallFails,
    testing::Values(
        Failure{"the_journals_write_for_want_of_space", fmt::format("write:{}:9:.journal", ENOSPC),
                "No space left on device"},
        Failure{"the_journals_write_for_want_of_quota", fmt::format("write:{}:9:.journal", EDQUOT),
                "Disk quota exceeded"},
        Failure{"the_journals_sync", fmt::format("fsync:{}:5:.journal", EIO), "Input/output error"},
        Failure{"the_journals_sync_for_want_of_quota", fmt::format("fsync:{}:5:.journal", EDQUOT),
                "Disk quota exceeded"},
        Failure{"the_results_files_write", fmt::format("pwrite:{}:3:.h5.tmp", ENOSPC), "out.h5"},
        Failure{"the_results_files_sync", fmt::format("fsync:{}:1:.h5.tmp", EIO),
                "Input/output error"},
        Failure{"the_results_files_rename", fmt::format("rename:{}:1:out.h5", EIO),
                "Input/output error"}),
    [](const auto& failure) { return std::string(failure.param.name); });

TEST_F(FailingCalls, ShortWritesOfTheJournalAreWrittenOn) {
  const CommandEnd end = with({"FAILING_CALL=write:0:1:.journal"}, run_arguments());
  EXPECT_EQ(end.exit_code, 0) << end.output;
  expect_complete();
}

TEST_F(FailingCalls, ShortWritesOfTheResultsFileAreWrittenOn) {
  const CommandEnd end = with({"FAILING_CALL=pwrite:0:1:.h5.tmp"}, run_arguments());
  EXPECT_EQ(end.exit_code, 0) << end.output;
  expect_complete();
}

TEST_F(FailingCalls, WithoutHardLinksTheLockIsTakenAllTheSame) {
  const CommandEnd end =
      with({fmt::format("FAILING_CALL=link:{}:1:.lock", EPERM)}, run_arguments());
  EXPECT_EQ(end.exit_code, 0) << end.output;
  expect_complete();
}

TEST_F(FailingCalls, OnAReadOnlyFileSystemTheRunDoesNotBegin) {
  const CommandEnd end =
      with({fmt::format("FAILING_CALL=link:{}:1:.lock", EROFS)}, run_arguments());
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr("Read-only file system"));
  EXPECT_THAT(end.output, HasSubstr("Choose an output path"));
  expect_goes_on();
}

// An old results file survives a failed recovery.
TEST_F(FailingCalls, ARecoveryThatCannotBeWrittenLeavesTheFilesAsTheyWere) {
  static_cast<void>(
      with({fmt::format("FAILING_CALL=write:{}:9:.journal", ENOSPC)}, run_arguments()));
  ASSERT_EQ(ptxbatch({"recover", results_}).exit_code, 0);
  const std::string before = read_text(results_).value();
  for (const std::string& call : {fmt::format("pwrite:{}:2:.recovered.tmp", ENOSPC),
                                  fmt::format("rename:{}:1:out.h5", EIO)}) {
    const CommandEnd end = with({"FAILING_CALL=" + call}, {"recover", results_});
    EXPECT_EQ(end.exit_code, 1) << end.output;
    EXPECT_EQ(read_text(results_).value(), before);
    EXPECT_FALSE(real_file_system().exists(results_ + ".recovered"));
  }
  expect_goes_on();
}

}  // namespace
}  // namespace ptxbatch
