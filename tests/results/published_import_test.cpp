// The published turns as a results file: what is read, what is refused and how, and that nothing
// is half-imported.
#include "results/published_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/results_file.h"
#include "results/turn_table.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kExperiment = R"(kind = "published"
name = "small"
turns = 3
block_size = 2
[[targets]]
name = "hopper"
device = "H100"
family = "H"
[[problems]]
definition = "gemm"
name = "GEMM"
[[models]]
name = "m without"
runs = ["run-nopatched"]
)";

constexpr const char* kHeader =
    "model,arch,definition,workload,run,trajectory_id,turn,correctness,speedup,"
    "target_instruction_tag,correct_with_target,reasoning_tokens\n";

// Two runs; in the first exp_000 has two correct turns, exp_002 one.
const std::string kTurns = std::string(kHeader) +
                           "m,hopper,gemm,w,run,exp_000,0,Correct,0.5,H,1,10\n"
                           "m,hopper,gemm,w,run,exp_000,1,Correct,0.6,A+H,1,11\n"
                           "m,hopper,gemm,w,run,exp_000,2,Runtime error,0.0,,0,12\n"
                           "m,hopper,gemm,w,run,exp_002,1,Correct,0.7,A,0,13\n"
                           "m,hopper,gemm,w,run,exp_002,0,Correct,0.9,H,1,14\n"
                           "m,hopper,gemm,w,run-nopatched,exp_000,0,Extraction error,0,,0,0\n";

constexpr const char* kUnknownHeader =
    "run,turn_limit,n_trajectories,trajectories_correct_with_target,correct_turns,"
    "unknown_correct_turns\n";

class PublishedImportTest : public testing::Test {
 protected:
  tl::expected<ImportSummary, std::vector<Error>> import(const std::string& turns,
                                                         const std::string& unknown = "") {
    write("published.toml", kExperiment);
    write("turns.csv", turns);
    PublishedImport request{folder_.file("turns.csv"), std::nullopt, folder_.file("published.toml"),
                            output()};
    if (!unknown.empty()) {
      write("unknown.csv", unknown);
      request.unknown_turns = folder_.file("unknown.csv");
    }
    return import_published(real_file_system(), request);
  }

  // The one error of an import that must leave nothing behind.
  Error refused(const std::string& turns, const std::string& unknown = "") {
    const auto result = import(turns, unknown);
    EXPECT_FALSE(real_file_system().exists(output()));
    EXPECT_FALSE(real_file_system().exists(output() + ".tmp"));
    if (result) {
      ADD_FAILURE() << "imported";
      return {};
    }
    EXPECT_EQ(result.error().size(), 1U);
    return result.error().front();
  }

  [[nodiscard]] std::string output() const { return folder_.file("out.h5"); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_text(folder_.file(name), text));
  }

  TestFolder folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(PublishedImportTest, turns_runs_and_prompt_blocks_arrive) {
  const auto summary = import(kTurns);
  ASSERT_TRUE(summary) << describe(summary.error().front());
  EXPECT_EQ(summary->runs, 2U);
  EXPECT_EQ(summary->trajectories, 3U);
  EXPECT_EQ(summary->turns, 6U);

  const TurnTable table = read_turn_table(output()).value();
  EXPECT_TRUE(table.complete);
  EXPECT_EQ(table.max_turns, 3);
  ASSERT_EQ(table.trajectories.size(), 3U);
  EXPECT_EQ(table.trajectories[0].problem, "GEMM");
  EXPECT_EQ(table.trajectories[0].id, "exp_000");
  EXPECT_EQ(table.trajectories[1].id, "exp_002");
  EXPECT_EQ(table.trajectories[1].prompt_block, 1);
  EXPECT_EQ(table.trajectories[2].model, "m without");
  EXPECT_THAT(table.speedup, ElementsAre(0.5, 0.6, 0, 0.9, 0.7, 0));
  EXPECT_THAT(table.reasoning_tokens, ElementsAre(10, 11, 12, 14, 13, 0));
  EXPECT_THAT(table.target_instruction,
              ElementsAre(TargetInstruction::kPresent, TargetInstruction::kPresent,
                          TargetInstruction::kNotExamined, TargetInstruction::kPresent,
                          TargetInstruction::kAbsent, TargetInstruction::kNotExamined));
  EXPECT_EQ(read_results_summary(output())->experiment_text, kExperiment);
}

TEST_F(PublishedImportTest, the_last_turns_that_agree_with_the_counts_become_unknown) {
  // Below 3 one turn is unknown, and both trajectories still have one that is not.
  const auto summary = import(kTurns, std::string(kUnknownHeader) + "run,3,2,2,4,1\n");
  ASSERT_TRUE(summary) << describe(summary.error().front());
  EXPECT_THAT(summary->notes, testing::IsEmpty());
  const TurnTable table = read_turn_table(output()).value();
  EXPECT_EQ(table.target_instruction[1], TargetInstruction::kUnknown);
  EXPECT_EQ(table.target_instruction[3], TargetInstruction::kPresent);
}

TEST_F(PublishedImportTest, an_unknown_turn_that_costs_a_trajectory_is_one_that_does) {
  const auto summary = import(kTurns, std::string(kUnknownHeader) + "run,3,2,1,4,1\n");
  ASSERT_TRUE(summary) << describe(summary.error().front());
  const TurnTable table = read_turn_table(output()).value();
  EXPECT_EQ(table.target_instruction[1], TargetInstruction::kPresent);
  EXPECT_EQ(table.target_instruction[3], TargetInstruction::kUnknown);
}

TEST_F(PublishedImportTest, counts_that_no_choice_agrees_with_are_said) {
  const auto summary = import(kTurns, std::string(kUnknownHeader) + "run,3,2,1,4,0\n");
  ASSERT_TRUE(summary) << describe(summary.error().front());
  EXPECT_THAT(summary->notes, ElementsAre(HasSubstr("run, first 3 turns: 2 trajectories")));
}

TEST_F(PublishedImportTest, a_missing_column_is_named) {
  const Error error = refused(replaced(kTurns, ",speedup,", ",speed,"));
  EXPECT_EQ(error.file, folder_.file("turns.csv"));
  EXPECT_EQ(error.line, 1);
  EXPECT_THAT(error.what, HasSubstr("'speedup'"));
  EXPECT_THAT(error.hint, HasSubstr("speed,"));
}

TEST_F(PublishedImportTest, a_bad_number_is_shown_with_row_and_column) {
  const Error error = refused(replaced(kTurns, "0.6", "0,6x"));
  EXPECT_EQ(error.line, 3);
  const Error not_finite = refused(replaced(kTurns, "0.6", "inf"));
  EXPECT_EQ(not_finite.line, 3);
  EXPECT_EQ(not_finite.column, 39);
  EXPECT_EQ(not_finite.what, "speedup is 'inf', expected a number");
}

TEST_F(PublishedImportTest, a_turn_that_is_there_twice_is_shown_with_both_rows) {
  const Error error = refused(kTurns + "m,hopper,gemm,w,run,exp_000,1,Correct,0.6,H,1,11\n");
  EXPECT_EQ(error.line, 8);
  EXPECT_THAT(error.what, HasSubstr("exp_000 in run run a second time"));
  EXPECT_THAT(error.hint, HasSubstr("line 3"));
}

TEST_F(PublishedImportTest, values_that_do_not_exist_are_refused) {
  EXPECT_THAT(refused(replaced(kTurns, "Runtime error", "Fine")).hint, HasSubstr("Runtime error"));
  EXPECT_THAT(refused(replaced(kTurns, "exp_002", "exp_two")).what, HasSubstr("trajectory_id"));
  EXPECT_THAT(refused(replaced(kTurns, "hopper", "volta")).what, HasSubstr("hopper"));
  EXPECT_THAT(refused(replaced(kTurns, "exp_000,2", "exp_000,3")).what, HasSubstr("from 0 to 2"));
  EXPECT_THAT(refused(replaced(kTurns, "0.0,,0,12", "0.0,,1,12")).what, HasSubstr("not correct"));
  EXPECT_THAT(refused(replaced(kTurns, "Correct,0.5", "Correct,0")).what, HasSubstr("positive"));
}

TEST_F(PublishedImportTest, a_cut_row_an_empty_file_and_no_turns_are_refused) {
  EXPECT_EQ(refused(kTurns.substr(0, kTurns.size() - 12)).line, 7);
  EXPECT_THAT(refused("").what, HasSubstr("empty"));
  EXPECT_THAT(refused(kHeader).what, HasSubstr("no turns"));
}

TEST_F(PublishedImportTest, runs_that_tables_could_not_tell_apart_are_refused) {
  const Error error = refused(kTurns + "m,hopper,gemm,w,run2,exp_000,1,Correct,0.6,H,1,11\n");
  EXPECT_EQ(error.file, folder_.file("published.toml"));
  EXPECT_THAT(error.what, HasSubstr("run and run2"));
}

TEST_F(PublishedImportTest, counts_of_other_turns_are_refused) {
  const std::string header = kUnknownHeader;
  EXPECT_THAT(refused(kTurns, header + "run,3,2,2,5,1\n").what, HasSubstr("have 4 correct turns"));
  EXPECT_THAT(refused(kTurns, header + "other,3,2,2,4,1\n").what, HasSubstr("'other'"));
  EXPECT_EQ(refused(kTurns, header + "run,1,2,2,2,1\nrun,3,2,2,4,0\n").line, 3);
}

TEST_F(PublishedImportTest, a_failed_import_leaves_the_earlier_file) {
  ASSERT_TRUE(import(kTurns));
  const std::string before = read_text(output()).value();
  EXPECT_FALSE(import(kHeader));
  EXPECT_EQ(read_text(output()).value(), before);
}

}  // namespace
}  // namespace ptxbatch
