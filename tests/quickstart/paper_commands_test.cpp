// import, tables --paper, check and compare as a user gives them: what they print, their exit
// codes, and what is said of files that cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/file_system.h"
#include "tests/analysis/run_on_disk.h"
#include "tests/quickstart/command.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Two trajectories of one model: three of the turns are correct.
constexpr const char* kTurns =
    "model,arch,definition,workload,run,trajectory_id,turn,correctness,speedup,"
    "target_instruction_tag,correct_with_target,reasoning_tokens\n"
    "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,exp_000,0,"
    "Correct,0.5,H,1,10\n"
    "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,exp_000,1,"
    "Correct,0.6,A,0,10\n"
    "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,exp_001,0,"
    "Runtime error,0,,0,10\n"
    "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,exp_001,1,"
    "Correct,0.7,H,1,10\n";

class PaperCommands : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_text(file(name), text));
  }

  // A results file of those turns.
  std::string imported(const std::string& name, const std::string& turns = kTurns) {
    write(name + ".csv", turns);
    const CommandEnd end = ptxbatch({"import", "published", file(name + ".csv"), "-o", file(name)});
    EXPECT_EQ(end.exit_code, 0) << end.output;
    return file(name);
  }

  TestFolder folder_;
};

TEST_F(PaperCommands, imported_turns_make_the_papers_tables) {
  const std::string results = imported("a.h5");
  const CommandEnd both = ptxbatch({"tables", "--paper", "1,7", results});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_THAT(both.output, AllOf(HasSubstr("Table 1"), HasSubstr("Table 7"), HasSubstr("GLM-5.2"),
                                 HasSubstr("50.0 / 25.0 / 12.5 (50.0 / 37.5 / 18.8)"),
                                 HasSubstr("0.500 / 0.700 / 0.700 (0.500 / 0.700 / 0.700)")));
  const CommandEnd csv = ptxbatch({"tables", "--paper", "1,7", "--format", "csv", results});
  EXPECT_THAT(csv.output,
              AllOf(HasSubstr("1,turn_correctness_pct,H100,GLM-5.2,GEMM,8,"),
                    HasSubstr("\n7,best_speedup,H100,GLM-5.2,GEMM,1,"), Not(HasSubstr("\n\n"))));
  EXPECT_THAT(ptxbatch({"tables", "--ci", results}).output, HasSubstr("50.0 [–]"));
  EXPECT_THAT(ptxbatch({"status", results}).output, HasSubstr("turns: 4\n"));
}

TEST_F(PaperCommands, tables_of_facts_need_no_file_and_the_others_ask_for_one) {
  EXPECT_THAT(ptxbatch({"tables", "--paper", "10"}).output, HasSubstr("8ops-Pre-balanced"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tables", "--paper", "1"}, {"tables"}}) {
    const CommandEnd end = ptxbatch(command);
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_THAT(end.output, HasSubstr("RESULTS is required"));
  }
  EXPECT_EQ(ptxbatch({"tables", "--paper", "11"}).exit_code, 1);
}

TEST_F(PaperCommands, a_check_counts_and_its_exit_code_tells_of_what_is_not_explained) {
  const CommandEnd few = ptxbatch({"check", "--paper", imported("a.h5")});
  EXPECT_EQ(few.exit_code, 0);
  EXPECT_THAT(few.output,
              AllOf(HasSubstr("Table 1, H100, GLM-5.2, GEMM, 1 turn, all correct: "
                              "paper 33.3, here 50.0\n"),
                    HasSubstr("  cannot be judged: fewer than 4 trajectories"),
                    HasSubstr("What these files do not have:"), HasSubstr("1068 are missing")));
  // Far better than the paper's in every trajectory.
  std::string turns(kTurns, std::string(kTurns).find("GLM"));
  for (const char* id : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
    turns += std::string(
                 "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,"
                 "exp_00") +
             id + ",0,Correct,5,H,1,10\n";
  }
  const CommandEnd better = ptxbatch({"check", "--paper", imported("better.h5", turns)});
  EXPECT_EQ(better.exit_code, 2);
  EXPECT_THAT(better.output, HasSubstr("\n  not explained: "));
}

TEST_F(PaperCommands, a_check_of_nothing_that_the_paper_has_is_an_error) {
  std::string turns = kTurns;
  const std::string name = "gemm_n7168_k5120";
  for (auto at = turns.find(name); at != std::string::npos; at = turns.find(name)) {
    turns.replace(at, name.size(), "mha_bwd_d64");
  }
  const CommandEnd end = ptxbatch({"check", "--paper", imported("d64.h5", turns)});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output,
              HasSubstr("no number could be held against the paper's: 1080 are missing"));
}

TEST_F(PaperCommands, compare_refuses_other_devices_until_told) {
  const std::string first = imported("a.h5");
  EXPECT_THAT(ptxbatch({"compare", first, imported("b.h5")}).output,
              HasSubstr("0 of 12 numbers differ by more than chance"));
  std::string experiment = read_text(source_file("experiments/paper/published.toml")).value();
  const std::string device = "device = \"H100\"";
  experiment.replace(experiment.find(device), device.size(), "device = \"H200\"");
  write("other.toml", experiment);
  ASSERT_EQ(ptxbatch({"import", "published", file("a.h5.csv"), "-o", file("c.h5"), "--experiment",
                      file("other.toml")})
                .exit_code,
            0);
  const CommandEnd refused = ptxbatch({"compare", first, file("c.h5")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("--across devices"));
  const CommandEnd told = ptxbatch({"compare", first, file("c.h5"), "--across", "devices"});
  EXPECT_EQ(told.exit_code, 0) << told.output;
  EXPECT_THAT(told.output, HasSubstr("H100 in the first file and H200 in the second"));
}

TEST_F(PaperCommands, files_that_cannot_be_read_are_named_by_every_command) {
  const std::string whole = read_text(imported("a.h5")).value();
  write("truncated.h5", whole.substr(0, whole.size() / 2));
  write("empty.h5", "");
  write("foreign.h5", "not HDF5 at all");
  for (const std::string name : {"truncated.h5", "empty.h5", "foreign.h5", "absent.h5"}) {
    for (const std::vector<std::string>& command : {std::vector<std::string>{"tables", file(name)},
                                                    {"tables", "--paper", "1", file(name)},
                                                    {"check", "--paper", file(name)},
                                                    {"compare", file("a.h5"), file(name)}}) {
      const CommandEnd end = ptxbatch(command);
      EXPECT_EQ(end.exit_code, 1) << end.output;
      EXPECT_THAT(end.output, HasSubstr(file(name) + ": "));
    }
  }
}

TEST_F(PaperCommands, a_bad_import_says_where_and_leaves_nothing) {
  std::string turns = kTurns;
  turns.replace(turns.find("0.7"), 3, "x.7");
  write("bad.csv", turns);
  const CommandEnd end = ptxbatch({"import", "published", file("bad.csv"), "-o", file("bad.h5")});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr(file("bad.csv") + ":5:99: speedup is 'x.7'"));
  EXPECT_FALSE(real_file_system().exists(file("bad.h5")));
  EXPECT_FALSE(real_file_system().exists(file("bad.h5.tmp")));
}

TEST_F(PaperCommands, an_import_replaces_a_file_only_when_told) {
  const std::string results = imported("a.h5");
  const std::vector<std::string> again = {"import", "published", file("a.h5.csv"), "-o", results};
  const CommandEnd refused = ptxbatch(again);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("--overwrite"));
  std::vector<std::string> told = again;
  told.emplace_back("--overwrite");
  EXPECT_EQ(ptxbatch(told).exit_code, 0);
  write("a.h5.journal", "of a run");
  EXPECT_EQ(ptxbatch(told).exit_code, 1);
}

TEST_F(PaperCommands, an_import_never_replaces_a_run) {
  const std::string results = file("run.h5");
  testing::SmallRun().write(results);
  const std::string before = read_text(results).value();
  write("turns.csv", kTurns);
  const CommandEnd end =
      ptxbatch({"import", "published", file("turns.csv"), "-o", results, "--overwrite"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("is no imported results file"));
  EXPECT_EQ(read_text(results).value(), before);

  write("locked.h5.lock", "of a run that begins");
  EXPECT_EQ(ptxbatch({"import", "published", file("turns.csv"), "-o", file("locked.h5")}).exit_code,
            1);
  const CommandEnd itself =
      ptxbatch({"import", "published", file("turns.csv"), "-o", file("turns.csv"), "--overwrite"});
  EXPECT_EQ(itself.exit_code, 1);
  EXPECT_EQ(read_text(file("turns.csv")).value(), kTurns);
}

TEST_F(PaperCommands, no_correct_turn_at_all_still_gives_every_table) {
  std::string turns(kTurns, std::string(kTurns).find("GLM"));
  turns +=
      "GLM-5.2,hopper,gemm_n7168_k5120,94920358-01a8-4c5b-9209-3103fd490e94,glm52-gemm,exp_000,0,"
      "Runtime error,0,,0,10\n";
  const std::string results = imported("none.h5", turns);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"tables", results},
                                                  {"tables", "--ci", results},
                                                  {"tables", "--paper", "1,7", "--ci", results},
                                                  {"compare", results, results}}) {
    const CommandEnd end = ptxbatch(command);
    EXPECT_EQ(end.exit_code, 0) << end.output;
    EXPECT_THAT(end.output, HasSubstr("–"));
  }
}

}  // namespace
}  // namespace ptxbatch
