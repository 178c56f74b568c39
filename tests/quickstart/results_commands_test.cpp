// figures, report, show and export as a user starts them, on results files made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/file_system.h"
#include "common/process.h"
#include "results/journal_frames.h"
#include "tests/analysis/run_on_disk.h"
#include "tests/quickstart/command.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A results file of a small run, and one that is none.
class ResultsCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::SmallRun().write(file("run.h5"));
    ASSERT_TRUE(write_text(file("foreign.h5"), "not HDF5").has_value());
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TestFolder folder_;
};

TEST_F(ResultsCommands, FiguresOfThePaperAreDrawnOfAnyRun) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const CommandEnd end =
      ptxbatch({"figures", file("run.h5"), "--figures",
                source_file("experiments/paper/figures.toml"), "-o", file("figures")});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("figure_09_transitions.svg"));
  EXPECT_TRUE(std::filesystem::exists(file("figures/figure_15_reasoning.pdf")));
}

TEST_F(ResultsCommands, FiguresOfDifferentDevicesSayThatTheyDoNotCompare) {
  testing::SmallRun other;
  other.environment.device_name = "another processor";
  other.write(file("other.h5"));
  const std::string note = "note: Target host ran on different devices";
  const CommandEnd both =
      ptxbatch({"figures", file("run.h5"), file("other.h5"), "-o", file("figures")});
  EXPECT_THAT(both.output, HasSubstr(note));
  const CommandEnd one = ptxbatch({"figures", file("run.h5"), "-o", file("figures")});
  EXPECT_THAT(one.output, ::testing::Not(HasSubstr(note)));
}

TEST_F(ResultsCommands, AReportIsOnePage) {
  const CommandEnd end = ptxbatch({"report", file("run.h5"), "-o", file("report.html")});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(read_text(file("report.html")).value(), StartsWith("<!DOCTYPE html>"));
}

TEST_F(ResultsCommands, ShowGoesFromTheRunToOneTurn) {
  EXPECT_THAT(ptxbatch({"show", file("run.h5")}).output, HasSubstr("exp_000"));
  EXPECT_THAT(ptxbatch({"show", file("run.h5"), "exp_000"}).output, HasSubstr("Compilation error"));
  EXPECT_THAT(ptxbatch({"show", file("run.h5"), "0", "1"}).output, HasSubstr("void run() {}"));
  const CommandEnd none = ptxbatch({"show", file("run.h5"), "0", "9"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output, HasSubstr("Its turns are 0 to 1."));
}

TEST_F(ResultsCommands, ShowPromptPrintsWhatAModelWasOrWouldBeGiven) {
  EXPECT_THAT(ptxbatch({"show", "--prompt", file("run.h5")}).output, HasSubstr("1 prompts"));
  EXPECT_THAT(ptxbatch({"show", "--prompt", file("run.h5"), "0"}).output,
              HasSubstr("You write kernels.\n"));
  const std::string table3 = source_file("experiments/paper/table3_ablation.toml");
  const CommandEnd first = ptxbatch({"show", "--prompt", table3, "--problem", "MHA-Bwd"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.output, HasSubstr("── system: "));
  EXPECT_THAT(first.output, ::testing::Not(HasSubstr("# Template functions")));
  const CommandEnd second = ptxbatch(
      {"show", "--prompt", table3, "--model", "Architecture parameters + PTX template functions"});
  EXPECT_THAT(second.output, HasSubstr("# Template functions"));
  const CommandEnd unknown = ptxbatch({"show", "--prompt", table3, "--tag", "none"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.output, HasSubstr("It has: 'base', 'first guidance', 'second guidance'."));
}

TEST_F(ResultsCommands, ExportsGoToStandardOutputOrWhereTheyAreTold) {
  EXPECT_THAT(ptxbatch({"export", "turns", file("run.h5")}).output,
              StartsWith("file,experiment,index,id,model,"));
  EXPECT_EQ(ptxbatch({"export", "chats", file("run.h5"), "-o", file("chats.jsonl")}).exit_code, 0);
  EXPECT_THAT(read_text(file("chats.jsonl")).value(), StartsWith("{\"messages\":["));
  const CommandEnd traces =
      ptxbatch({"export", "flashinfer-trace", file("run.h5"), "-o", file("trace")});
  EXPECT_EQ(traces.exit_code, 0);
  EXPECT_THAT(traces.output, HasSubstr("1 correct candidate"));
  EXPECT_TRUE(std::filesystem::exists(file("trace/traces/gemm/gemm_f32_n192_k160.jsonl")));
}

TEST_F(ResultsCommands, NoTextReplacesResultsOrAJournal) {
  testing::SmallRun().write(file("other.h5"));
  ASSERT_TRUE(write_text(file("a.journal"), make_journal_header(7)));
  std::filesystem::create_symlink(file("run.h5"), file("link.html"));
  for (const char* output : {"run.h5", "other.h5", "a.journal", "link.html"}) {
    const std::string before = read_text(file(output)).value();
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"report"}, {"export", "turns"}, {"export", "chats"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {file("run.h5"), "-o", file(output)});
      const CommandEnd end = ptxbatch(arguments);
      EXPECT_EQ(end.exit_code, 1) << command.front() << " " << output;
      EXPECT_THAT(end.output, HasSubstr("Give another name after -o")) << output;
    }
    EXPECT_EQ(read_text(file(output)).value(), before);
  }
}

TEST_F(ResultsCommands, AnOutputIsTheNameOfAFileAndItsFolderIsMade) {
  for (const std::string& output : {std::string(), file("none/"), file("")}) {
    const CommandEnd end = ptxbatch({"report", file("run.h5"), "-o", output});
    EXPECT_EQ(end.exit_code, 1) << output;
    EXPECT_THAT(end.output, HasSubstr("Give the name of a file after -o.")) << output;
  }
  EXPECT_EQ(ptxbatch({"report", file("run.h5"), "-o", file("new/r.html")}).exit_code, 0);
  EXPECT_EQ(ptxbatch({"export", "turns", file("run.h5"), "-o", file("newer/t.csv")}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(file("newer/t.csv.new")));
  const CommandEnd blocked =
      ptxbatch({"export", "turns", file("run.h5"), "-o", file("run.h5/t.csv")});
  EXPECT_EQ(blocked.exit_code, 1);
  EXPECT_THAT(blocked.output, HasSubstr(file("run.h5") + ": the folder cannot be made"));
}

TEST_F(ResultsCommands, WhatIsMistakenForResultsIsSaid) {
  ASSERT_TRUE(write_text(file("first.toml"), "name = \"first\"\n"));
  ASSERT_TRUE(write_text(file("run.h5.journal"), make_journal_header(7)));
  struct Mistake {
    std::string path;
    std::string message;
  };
  for (const Mistake& mistake :
       {Mistake{file(""), "is a folder, not a results file"},
        Mistake{file("first.toml"), "is an experiment file, not a results file"},
        Mistake{file("run.h5.journal"), "is the journal of a run"}}) {
    for (const char* command : {"tables", "status", "recover"}) {
      const CommandEnd end = ptxbatch({command, mistake.path});
      EXPECT_EQ(end.exit_code, 1) << command << " " << mistake.path;
      EXPECT_THAT(end.output, HasSubstr(mistake.message)) << command;
    }
  }
}

TEST_F(ResultsCommands, ARunWithoutItsResultsFileYetIsNamedAsSuch) {
  ASSERT_TRUE(write_text(file("young.h5.journal"), make_journal_header(7)));
  for (const char* command : {"tables", "report", "show", "figures"}) {
    const CommandEnd end = ptxbatch({command, file("young.h5")});
    EXPECT_EQ(end.exit_code, 1) << command;
    EXPECT_THAT(end.output, HasSubstr("has not written its results file yet")) << command;
    EXPECT_THAT(end.output, HasSubstr("ptxbatch recover " + file("young.h5"))) << command;
  }
}

TEST_F(ResultsCommands, TurnLimitsAreSeparatedByCommasAndNoneIsBeyondTheRuns) {
  const CommandEnd help = ptxbatch({"tables", "--help"});
  EXPECT_THAT(help.output, HasSubstr("--turns T[,T...] "));
  const CommandEnd end = ptxbatch({"tables", file("run.h5"), "--turns", "1,999"});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("a limit beyond that is "));
  EXPECT_THAT(ptxbatch({"tables", file("run.h5")}).output, ::testing::Not(HasSubstr("note: traj")));
}

TEST_F(ResultsCommands, AForeignFileIsNamedByAllOfThem) {
  using Arguments = std::vector<std::string>;
  const std::string foreign = file("foreign.h5");
  for (const Arguments& arguments :
       {Arguments{"figures", foreign, "-o", file("f")},
        Arguments{"report", foreign, "-o", file("r")}, Arguments{"show", foreign},
        Arguments{"export", "turns", foreign}}) {
    const CommandEnd end = ptxbatch(arguments);
    EXPECT_EQ(end.exit_code, 1) << arguments.front();
    EXPECT_THAT(end.output, HasSubstr("foreign.h5")) << arguments.front();
  }
  EXPECT_FALSE(std::filesystem::exists(file("r")));
}

TEST_F(ResultsCommands, PairedSpeedupsThatAFileLacksAreRefusedByAllOfThem) {
  using Arguments = std::vector<std::string>;
  const std::string run = file("run.h5");
  for (Arguments arguments :
       {Arguments{"figures", run, "-o", file("f")}, Arguments{"report", run, "-o", file("r")},
        Arguments{"tables", run}, Arguments{"compare", run, run}}) {
    arguments.insert(arguments.end(), {"--speedup", "paired"});
    const CommandEnd end = ptxbatch(arguments);
    EXPECT_EQ(end.exit_code, 1) << arguments.front();
    EXPECT_THAT(end.output, HasSubstr("run.h5 has no paired speedups")) << arguments.front();
  }
  EXPECT_FALSE(std::filesystem::exists(file("f")));
  EXPECT_FALSE(std::filesystem::exists(file("r")));
}

}  // namespace
}  // namespace ptxbatch
