// Tables against the files in golden/ (golden_file.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analysis/tables.h"
#include "tests/analysis/golden_file.h"
#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

TurnTable host_run() {
  TurnTable table = empty_table(8);
  add_trajectory(table, {"recorded", "GEMM"},
                 {without_target(0.0412), failed(Label::kCompilationError), with_target(0.5),
                  failed(Label::kNumericalError), with_target(0.8089)});
  add_trajectory(
      table, {"recorded", "GEMM"},
      {failed(Label::kRuntimeError), failed(Label::kKernelExecutionTimeout), unexamined(1.25)});
  add_trajectory(table, {"recorded", "MHA-Fwd"}, {failed(Label::kExtractionError)});
  add_trajectory(table, {"recorded", "MHA-Fwd"}, {failed(Label::kOtherError)});
  add_trajectory(table, {"模型_2 | –", "GEMM"}, {with_target(1), with_target(1.1)});
  add_trajectory(table, {"模型_2 | –", "GEMM"}, {with_target(0.125)});
  return table;
}

TurnTable gpu_run() {
  TurnTable table = empty_table(4);
  table.complete = false;
  table.experiment_name = "night";
  add_trajectory(table, {"GLM-5.2", "GEMM", "base", "hopper"}, {with_target(0.4)});
  add_trajectory(table, {"GLM-5.2", "GEMM", "base", "blackwell"}, {});
  add_trajectory(table, {"GLM-5.2", "GEMM", "base", "blackwell"}, {});
  return table;
}

TableOptions options_for(TableFormat format) {
  TableOptions options;
  options.format = format;
  return options;
}

TEST(Tables, TerminalFormat) {
  expect_golden("terminal.txt", render_tables({host_run()}, options_for(TableFormat::kTerminal)));
}

TEST(Tables, MarkdownFormat) {
  expect_golden("markdown.md", render_tables({host_run()}, options_for(TableFormat::kMarkdown)));
}

TEST(Tables, LatexFormat) {
  expect_golden("latex.tex", render_tables({host_run()}, options_for(TableFormat::kLatex)));
}

TEST(Tables, IntervalsStandBesideTheNumbers) {
  TableOptions options = options_for(TableFormat::kTerminal);
  options.intervals = true;
  options.turns = {1, 8};
  TurnTable run = host_run();
  for (const double speedup : {0.3, 0.4, 0.5}) {
    add_trajectory(run, {"recorded", "GEMM"}, {with_target(speedup)});
  }
  expect_golden("intervals.txt", render_tables({run}, options));
  options.format = TableFormat::kCsv;
  options.kinds = {TableKind::kCorrectness, TableKind::kBestSpeedup, TableKind::kPass,
                   TableKind::kOutcomes};
  TurnTable gpu = gpu_run();
  for (int i = 0; i < 3; ++i) {
    add_trajectory(gpu, {"GLM-5.2", "GEMM", "base", "hopper"}, {with_target(0.2)});
  }
  expect_golden("intervals.csv", render_tables({gpu}, options));
}

TEST(Tables, DevicesThatShareATargetAreNamed) {
  TurnTable first = gpu_run();
  first.devices = {{"hopper", "NVIDIA H100 80GB HBM3"}, {"blackwell", "NVIDIA B200"}};
  TurnTable second = gpu_run();
  second.devices = {{"hopper", "NVIDIA H200"}};
  const TableOptions options = options_for(TableFormat::kTerminal);
  EXPECT_THAT(render_tables({first}, options), Not(HasSubstr("different devices")));
  const std::string both = render_tables({first, second}, options);
  EXPECT_THAT(both, HasSubstr("Target hopper ran on different devices, whose speedups are not"));
  EXPECT_THAT(both, HasSubstr("H100; H200."));
  EXPECT_THAT(both, HasSubstr("Taken together from several files: hopper, GLM-5.2, GEMM;"));
}

TEST(Tables, ProblemsOfOneNameHaveAColumnEach) {
  TurnTable other = host_run();
  for (PlannedTrajectory& planned : other.trajectories) {
    if (planned.problem == "GEMM") planned.definition = "gemm_f32";
  }
  const std::string text = render_tables({host_run(), other}, options_for(TableFormat::kTerminal));
  EXPECT_THAT(text, HasSubstr("\nDifferent problems of one name, not taken together: GEMM (gemm); "
                              "GEMM (gemm_f32).\n"));
  EXPECT_THAT(render_tables({host_run(), other}, options_for(TableFormat::kCsv)),
              HasSubstr("best_speedup,host,recorded,GEMM (gemm_f32),8,unrestricted"));
}

TEST(Tables, LatexTablesStayWithinAPage) {
  TurnTable sweep = empty_table(8);
  for (int model = 0; model < 60; ++model) {
    for (const char* problem : {"GEMM", "MHA-Fwd", "MHA-Bwd", "MHA-Fwd-Causal", "MHA-Bwd-Causal"}) {
      add_trajectory(sweep, {"model " + std::to_string(model), problem, "base", "hopper"},
                     {with_target(0.4)});
    }
  }
  TableOptions options = options_for(TableFormat::kLatex);
  options.kinds = {TableKind::kCorrectness};
  const std::string text = render_tables({sweep}, options);
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" & ") != std::string::npos) longest = std::max(longest, line.size());
  }
  EXPECT_LT(longest, 170U);
  EXPECT_THAT(text, HasSubstr("(continued)"));
  EXPECT_THAT(text, HasSubstr("model 59 & "));
}

TEST(Tables, CsvFormat) {
  TableOptions options = options_for(TableFormat::kCsv);
  options.turns = {1, 8};
  expect_golden("csv.csv", render_tables({gpu_run()}, options));
}

TEST(Tables, TheHostStandsApartFromTheGpusAndAnIncompleteRunIsSaidToBe) {
  TableOptions options = options_for(TableFormat::kTerminal);
  options.kinds = {TableKind::kCorrectness, TableKind::kPass};
  expect_golden("host_and_gpu.txt", render_tables({host_run(), gpu_run()}, options));
}

TEST(Tables, AreCutIntoPiecesThatFitTheTerminal) {
  TableOptions options = options_for(TableFormat::kTerminal);
  options.kinds = {TableKind::kBestSpeedup};
  options.width = 64;
  expect_golden("narrow.txt", render_tables({host_run()}, options));
}

TEST(Tables, OfASingleTurnHaveOneNumberEachWay) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(0.5)});
  TableOptions options = options_for(TableFormat::kMarkdown);
  options.kinds = {TableKind::kBestSpeedup};
  EXPECT_THAT(render_tables({table}, options), HasSubstr("| m | 0.500 (0.500) |"));
}

TEST(Tables, UseThePairedSpeedupWhenAskedAndSaySo) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(0.5)});
  TableOptions options = options_for(TableFormat::kMarkdown);
  options.kinds = {TableKind::kBestSpeedup};
  options.speedup = SpeedupKind::kPaired;
  const std::string text = render_tables({table}, options);
  EXPECT_THAT(text, HasSubstr("| m | 1.000 (1.000) |"));
  EXPECT_THAT(text, HasSubstr("measured in pairs"));
  options.format = TableFormat::kCsv;
  EXPECT_THAT(render_tables({table}, options), HasSubstr("best_paired_speedup,host,m,GEMM,1"));
}

TEST(Tables, WithoutACorrectTurnShowDashes) {
  TurnTable table = empty_table(4);
  add_trajectory(table, {}, {failed(Label::kRuntimeError)});
  TableOptions options = options_for(TableFormat::kMarkdown);
  options.kinds = {TableKind::kCorrectness};
  EXPECT_THAT(render_tables({table}, options), HasSubstr("| m | – / – (– / –) |"));
}

TEST(Tables, OfACompleteRunHaveNoNoteOfIncompleteness) {
  EXPECT_THAT(render_tables({host_run()}, {}), Not(HasSubstr("Incomplete")));
}

TEST(Tables, OfNothingSayThatThereIsNothing) {
  EXPECT_THAT(render_tables({empty_table(8)}, {}), HasSubstr("No trajectories"));
  EXPECT_THAT(render_tables({}, {}), HasSubstr("No trajectories"));
  EXPECT_EQ(render_tables({}, options_for(TableFormat::kCsv)),
            "metric,target,model,problem,turns,restriction,label,value\n");
}

TEST(Tables, FormatsAreKnownByName) {
  EXPECT_EQ(table_format_from_name("latex"), TableFormat::kLatex);
  EXPECT_EQ(table_format_from_name("terminal"), TableFormat::kTerminal);
  EXPECT_EQ(table_format_from_name("excel"), std::nullopt);
}

}  // namespace
}  // namespace ptxbatch
