// The quickstart as the README has it: three MPI processes judge the 96 recorded replies, and the
// tables and figures are made from what they leave. Each reply was written to end in one way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "common/file_system.h"
#include "results/turn_table.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/small_experiment.h"
#include "tests/quickstart/table_rows.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;

constexpr double kRunTimeoutS = 540;
constexpr int kTrajectories = 6;  // of each problem

// The columns that analysis reads say the same as the records.
void expect_same_columns(const TurnTable& table, const RunRecords& run) {
  ASSERT_EQ(table.size(), run.turns.size());
  EXPECT_TRUE(table.complete);
  EXPECT_EQ(table.max_turns, 8);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const PlannedTrajectory& plan =
        table.trajectories[static_cast<std::size_t>(table.trajectory[i])];
    const Judgement& judgement = run.judgements.at({plan.problem, plan.id, table.turn[i]});
    EXPECT_EQ(label_name(table.label[i]), judgement.label);
    EXPECT_EQ(target_instruction_name(table.target_instruction[i]), judgement.target_instruction);
  }
}

// Only a correct turn has a time, and it has all of its samples.
void expect_timed_when_correct(const RunRecords& run) {
  for (const TurnRecord& turn : run.turns) {
    const bool correct = turn.label == Label::kCorrect;
    EXPECT_EQ(turn.speedup > 0, correct) << turn.trajectory << "/" << turn.turn;
    EXPECT_EQ(turn.candidate_latency_ms > 0, correct) << turn.trajectory << "/" << turn.turn;
    if (!correct) continue;
    std::size_t candidate = 0;
    std::size_t reference = 0;
    for (const TimingRecord& timing : turn.timings) {
      (timing.side == TimingRecord::Side::kCandidate ? candidate : reference) +=
          timing.samples_ms.size();
    }
    EXPECT_EQ(candidate, 150U);  // 3 trials x 50 calls
    EXPECT_GE(reference, 150U);
  }
}

void expect_tables(const std::string& results, const TurnTable& table, const RunRecords& run) {
  const CommandEnd csv = ptxbatch({"tables", results, "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.output;
  const std::vector<int> limits = {1, 4, 8};
  EXPECT_EQ(differences(expected_correctness(expected_judgements(), kTrajectories, limits),
                        printed_cells(csv.output, "turn_correctness_pct")),
            "");
  EXPECT_EQ(differences(expected_best_speedup(run, table.trajectories, limits),
                        printed_cells(csv.output, "best_speedup")),
            "");
  EXPECT_THAT(csv.output, HasSubstr("turns_with_label,host,recorded,GEMM,,,Numerical error,7\n"));
  for (const std::string format : {"terminal", "markdown", "latex"}) {
    const CommandEnd text = ptxbatch({"tables", results, "--format", format});
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_THAT(text.output, AllOf(HasSubstr("recorded"), HasSubstr("GEMM"), HasSubstr("MHA-Fwd")))
        << format;
  }
}

void expect_figures(const std::string& results, const std::string& folder) {
  const CommandEnd figures = ptxbatch({"figures", results, "-o", folder});
  ASSERT_EQ(figures.exit_code, 0) << figures.output;
  std::vector<std::string> files;
  std::istringstream lines(figures.output);
  for (std::string line; std::getline(lines, line);) files.push_back(line);
  EXPECT_THAT(files, Contains(EndsWith(".svg")));
  EXPECT_THAT(files, Contains(EndsWith(".pdf")));
  for (const std::string& file : files) {
    const auto text = read_text(file);
    ASSERT_TRUE(text) << file;
    EXPECT_FALSE(text->empty()) << file;
    if (file.ends_with(".svg")) {
      EXPECT_THAT(*text, HasSubstr("</svg>"));
    }
    if (file.ends_with(".pdf")) {
      EXPECT_EQ(text->substr(0, 5), "%PDF-");
    }
  }
}

TEST(Quickstart, judges_every_reply_as_it_was_written_to_be_judged) {
  const Workspace workspace;
  const std::string results = workspace.results();
  const CommandEnd run_end =
      run(mpi_command(3, {"run", source_file("experiments/quickstart.toml"), "-o", results}),
          kRunTimeoutS);
  ASSERT_EQ(run_end.exit_code, 0) << run_end.output;

  const RunRecords records = read_run(results);
  EXPECT_EQ(expected_judgements().size(), 96U);
  EXPECT_EQ(differences(expected_judgements(), records), "");
  EXPECT_EQ(duplicates(records), "");
  expect_timed_when_correct(records);
  const auto table = read_turn_table(results);
  ASSERT_TRUE(table) << describe(table.error());
  expect_same_columns(*table, records);
  expect_tables(results, *table, records);
  expect_figures(results, workspace.file("figures"));

  const CommandEnd again =
      ptxbatch({"run", source_file("experiments/quickstart.toml"), "-o", results});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("complete already"));
}

TEST(Quickstart, plan_says_what_would_run_without_running_it) {
  const CommandEnd plan = ptxbatch({"plan", source_file("experiments/quickstart.toml"), "--list"});
  EXPECT_EQ(plan.exit_code, 0);
  EXPECT_THAT(plan.output, AllOf(HasSubstr("12"), HasSubstr("96"), HasSubstr("exp_005"),
                                 HasSubstr("+second guidance"), HasSubstr("MHA-Fwd")));
}

}  // namespace
}  // namespace ptxbatch
