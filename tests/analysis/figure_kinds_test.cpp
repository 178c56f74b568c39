// Each kind of figure: its numbers as CSV, and that gnuplot draws it, also of nothing at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/figure_bars.h"
#include "analysis/figure_reasoning.h"
#include "analysis/figure_scores.h"
#include "analysis/figure_set.h"
#include "analysis/figure_transitions.h"
#include "analysis/figure_turns.h"
#include "analysis/figures.h"
#include "analysis/outcome_statistics.h"
#include "common/file_system.h"
#include "common/process.h"
#include "tests/analysis/hand_made.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

TurnTable run_of_two() {
  TurnTable table = empty_table(3);
  add_trajectory(table, {"m", "GEMM", "base"},
                 {failed(Label::kCompilationError), with_target(0.5), without_target(0.75)});
  add_trajectory(table, {"m", "GEMM", "base"},
                 {failed(Label::kCompilationError), failed(Label::kSanitizeTimeout)});
  return table;
}

std::vector<Figure> all_figures(const std::vector<TurnTable>& tables) {
  auto figures = make_figures(standard_figures(), tables, SpeedupKind::kPaper);
  EXPECT_TRUE(figures.has_value());
  return figures.value_or(std::vector<Figure>{});
}

// What gnuplot says of a script, and the picture.
std::string draw(const std::vector<Figure>& figures) {
  const TestFolder folder;
  FigureOptions options;
  options.folder = folder.file("figures");
  options.formats = {FigureFormat::kSvg};
  const auto paths = write_figures(figures, options);
  EXPECT_TRUE(paths.has_value()) << describe(paths.error());
  return paths ? read_text(paths->front()).value() : "";
}

bool has_gnuplot() {
  return find_program("gnuplot").has_value();
}

TEST(OutcomeStatistics, CountTurnsFlowsAndTokens) {
  const auto statistics = outcome_statistics(std::vector{run_of_two()});
  ASSERT_EQ(statistics.size(), 1U);
  const OutcomeStatistics& of = statistics.front();
  EXPECT_EQ(of.trajectories, 2);
  ASSERT_EQ(of.by_turn.size(), 3U);
  EXPECT_EQ(of.by_turn[0].at(outcome_of(Label::kCompilationError)), 2);
  EXPECT_EQ(of.by_turn[2].at(kNoTurn), 1);
  EXPECT_EQ(of.flows[0].at(outcome_of(Label::kCompilationError)).at(outcome_of(Label::kCorrect)),
            1);
  EXPECT_EQ(of.flows[1].at(outcome_of(Label::kSanitizeTimeout)).at(kNoTurn), 1);
  EXPECT_EQ(of.tokens_by_turn[1].size(), 2U);
  EXPECT_EQ(of.tokens_by_outcome.at(outcome_of(Label::kCorrect)).size(), 2U);
}

TEST(OutcomeStatistics, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40}, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile({10}, 0.95), 10);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(TurnFigure, TheCsvHasEveryStateOfEveryTurn) {
  const auto figures = turn_figures(outcome_statistics(std::vector{run_of_two()}), "turns", "");
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_THAT(figures.front().csv, HasSubstr("host,m,2,2,Correct,1,100,100,100,100\n"));
  EXPECT_THAT(figures.front().csv, HasSubstr("host,m,3,2,no turn,1,"));
}

TEST(TransitionFigure, TheCsvHasEveryFlow) {
  const auto figures =
      transition_figures(outcome_statistics(std::vector{run_of_two()}), "transitions", "");
  EXPECT_THAT(figures.front().csv, HasSubstr("host,m,1,Compilation error,Correct,1\n"));
  EXPECT_THAT(figures.front().csv, HasSubstr("host,m,2,Other error or timeout,no turn,1\n"));
}

TEST(ReasoningFigure, TheCsvHasTheQuartiles) {
  const auto figures =
      reasoning_figures(outcome_statistics(std::vector{run_of_two()}), "reasoning", "");
  EXPECT_THAT(figures.front().csv,
              HasSubstr("host,m,Compilation error,2,100,100,100,100,100,100\n"));
  EXPECT_THAT(figures.front().csv, HasSubstr("host,m,Runtime error,0,0,0,0,0,0,0\n"));
}

TEST(ScoreFigure, TheCsvHasBothMetrics) {
  ScoreFigure wanted;
  wanted.name = "scores";
  wanted.turns = 3;
  const auto figures = score_figures({run_of_two()}, wanted);
  // 2 of 6 turns are correct, 1 with the target instruction.
  EXPECT_THAT(figures.front().csv, HasSubstr(",GEMM,host,m,3,33.3333,16.6667,0.75,0.5\n"));
}

TEST(ScoreFigure, PairedSpeedupsAreCalledSo) {
  ScoreFigure wanted;
  wanted.name = "scores";
  wanted.turns = 3;
  EXPECT_THAT(score_figures({run_of_two()}, wanted).front().script, Not(HasSubstr("paired")));
  wanted.speedup = SpeedupKind::kPaired;
  const Figure figure = score_figures({run_of_two()}, wanted).front();
  EXPECT_THAT(figure.script, HasSubstr("'best paired speedup (×)'"));
  EXPECT_THAT(figure.csv,
              HasSubstr("_with_target,best_paired_speedup,best_paired_speedup_with_target\n"));
  EXPECT_THAT(figure.csv, HasSubstr(",1.5,1\n"));
}

TEST(ScoreFigure, WantedRowsThatWereNotRunAreSaidToBeMissing) {
  ScoreFigure wanted;
  wanted.name = "scores";
  wanted.models = {"other", "m"};
  wanted.targets = {"host"};
  wanted.groups = {{"trained", {"GEMM"}}, {"held out", {"MHA-Fwd"}}};
  const std::string script = score_figures({run_of_two()}, wanted).front().script;
  EXPECT_THAT(script, HasSubstr("'not run'"));
  EXPECT_THAT(script, HasSubstr("'other'"));
  EXPECT_THAT(script, HasSubstr("'held out'"));
}

TEST(ScoreFigure, ManyModelsGoOnSeveralPages) {
  TurnTable table = empty_table(1);
  for (int i = 0; i < 60; ++i) {
    add_trajectory(table, {"model " + std::to_string(i)}, {with_target(0.5)});
  }
  ScoreFigure wanted;
  wanted.name = "scores";
  const auto figures = score_figures({table}, wanted);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[2].name, "scores_3");
  EXPECT_THAT(figures[2].script, HasSubstr("'model 59'"));
  EXPECT_THAT(figures[2].script, Not(HasSubstr("'model 1'")));
}

TEST(BarFigure, ReadsPanelsAndStacksParts) {
  const TestFolder folder;
  ASSERT_TRUE(write_text(folder.file("bars.csv"),
                         "panel,unit,bar,part,value\nTime,s,before,,4\nTime,s,after,,2\n"
                         "Parts,records,one,Runtime error,3\nParts,records,one,other,1\n"));
  const auto panels = read_bar_panels(folder.file("bars.csv"));
  ASSERT_TRUE(panels.has_value()) << describe(panels.error());
  ASSERT_EQ(panels->size(), 2U);
  EXPECT_EQ((*panels)[1].bars.front().sum(), 4);
  const std::string script = bar_figures(*panels, {"bars", "", true}).front().script;
  EXPECT_THAT(script, HasSubstr("'2 (2.00× less)'"));
}

TEST(BarFigure, ANumberThatIsNoneIsNamedWithItsPlace) {
  const TestFolder folder;
  ASSERT_TRUE(
      write_text(folder.file("bars.csv"), "panel,unit,bar,part,value\nTime,s,before,,-4\n"));
  const auto panels = read_bar_panels(folder.file("bars.csv"));
  ASSERT_FALSE(panels.has_value());
  EXPECT_EQ(panels.error().line, 2);
  EXPECT_THAT(panels.error().what, HasSubstr("value"));
}

TEST(AllFigures, AreDrawn) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_THAT(draw(all_figures({run_of_two()})), HasSubstr("</svg>"));
}

TEST(AllFigures, AreDrawnWithoutACorrectTurn) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  TurnTable table = empty_table(2);
  add_trajectory(table, {}, {failed(Label::kRuntimeError), failed(Label::kExtractionError)});
  EXPECT_THAT(draw(all_figures({table})), HasSubstr("no correct turn"));
}

TEST(AllFigures, AreDrawnOfAPlanWithoutTurnsAndOfNothing) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  TurnTable table = empty_table(8);
  add_trajectory(table, {}, {});
  EXPECT_THAT(draw(all_figures({table})), HasSubstr("</svg>"));
  EXPECT_THAT(draw(all_figures({})), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace ptxbatch
