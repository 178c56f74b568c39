// Which figures there are is data: the file that says so, and the selection of conditions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/counted_blocks.h"
#include "analysis/figure_set.h"
#include "analysis/panels.h"
#include "analysis/selection.h"
#include "common/file_system.h"
#include "tests/analysis/hand_made.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

tl::expected<FigureSet, std::vector<Error>> parse(const std::string& text) {
  const TestFolder folder;
  EXPECT_TRUE(write_text(folder.file("figures.toml"), text).has_value());
  return read_figure_file(folder.file("figures.toml"));
}

TEST(FigureFile, ThePapersFiguresAreRead) {
  const auto set = read_figure_file(FIGURES_FILE);
  ASSERT_TRUE(set.has_value()) << describe(set.error().front());
  EXPECT_TRUE(set->paper_blocks);
  std::vector<FigureKind> kinds;
  for (const FigureSpec& spec : set->figures) kinds.push_back(spec.kind);
  using Kind = FigureKind;
  EXPECT_THAT(
      kinds, ElementsAre(Kind::kFastP, Kind::kFastP, Kind::kBars, Kind::kScores, Kind::kScores,
                         Kind::kTurns, Kind::kScores, Kind::kTransitions, Kind::kFastP, Kind::kBars,
                         Kind::kFastP, Kind::kFastP, Kind::kReasoning));
}

TEST(FigureFile, AllFiguresOfThePaperAreMadeOfAnyRun) {
  const auto set = read_figure_file(FIGURES_FILE);
  ASSERT_TRUE(set.has_value());
  TurnTable table = empty_table(8);
  add_trajectory(table, {"GLM-5.2", "GEMM", "base", "hopper"}, {with_target(0.4)});
  const auto figures = make_figures(*set, {table}, SpeedupKind::kPaper);
  ASSERT_TRUE(figures.has_value()) << describe(figures.error());
  EXPECT_THAT(*figures, SizeIs(set->figures.size()));
  EXPECT_THAT(figures->front().csv, HasSubstr("hopper,GLM-5.2,GEMM,0,"));
}

TEST(FigureFile, EveryMistakeIsNamedWithItsLine) {
  const auto set = parse(
      "[[figures]]\nname = \"a/b\"\nkind = \"pie\"\n\n[[figures]]\nname = \"x\"\nmodel = "
      "[\"m\"]\n");
  ASSERT_FALSE(set.has_value());
  ASSERT_THAT(set.error(), SizeIs(3));
  EXPECT_EQ(set.error()[0].line, 2);
  EXPECT_THAT(set.error()[0].what, HasSubstr("cannot be the name of a file"));
  EXPECT_EQ(set.error()[1].line, 3);
  EXPECT_THAT(set.error()[2].key, HasSubstr("model"));
}

TEST(FigureFile, TwoFiguresOfOneNameAreRefused) {
  const auto set = parse("[[figures]]\nname = \"x\"\n[[figures]]\nname = \"x\"\n");
  ASSERT_FALSE(set.has_value());
  EXPECT_THAT(set.error().front().what, HasSubstr("another figure 'x'"));
}

TEST(FigureFile, ADataFileThatIsMissingIsNamed) {
  const auto set = parse("[[figures]]\nname = \"x\"\nkind = \"bars\"\ndata = \"none.csv\"\n");
  ASSERT_TRUE(set.has_value());
  const auto figures = make_figures(*set, {}, SpeedupKind::kPaper);
  ASSERT_FALSE(figures.has_value());
  EXPECT_THAT(describe(figures.error()), HasSubstr("none.csv"));
}

TEST(Selection, KeepsTheOrderOfTheListsAndNumbersAnew) {
  TurnTable table = empty_table(2);
  add_trajectory(table, {"a", "GEMM"}, {with_target(0.1), with_target(0.2)});
  add_trajectory(table, {"b", "GEMM"}, {with_target(0.3)});
  add_trajectory(table, {"c", "GEMM"}, {with_target(0.4)});
  const auto selected = select({table}, {{"c", "a"}, {}, {"GEMM"}});
  ASSERT_THAT(selected, SizeIs(1));
  ASSERT_THAT(selected[0].trajectories, SizeIs(2));
  EXPECT_EQ(selected[0].trajectories[0].model, "c");
  EXPECT_EQ(selected[0].trajectories[0].index, 0);
  EXPECT_THAT(selected[0].trajectory, ElementsAre(1, 1, 0));
  EXPECT_THAT(selected[0].speedup, ElementsAre(0.1, 0.2, 0.4));
}

TEST(Selection, RowsAndColumnsThatWereNotRunAreEmptyPanels) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {"a", "GEMM"}, {with_target(0.1)});
  const PanelGrid grid = with_rows_and_columns(make_panels({table}, SpeedupKind::kPaper),
                                               {{"z", "a"}, {"host"}, {"MHA-Fwd", "GEMM"}});
  ASSERT_THAT(grid.rows, SizeIs(2));
  EXPECT_EQ(grid.rows[0].model, "z");
  EXPECT_FALSE(grid.rows[0].panels[1].planned);
  EXPECT_FALSE(grid.rows[1].panels[0].planned);
  EXPECT_TRUE(grid.rows[1].panels[1].planned);
}

TEST(CountedBlocks, OtherExperimentsKeepAllTheirTrajectories) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(0.1)});
  const auto counted = with_counted_blocks({table});
  ASSERT_TRUE(counted.has_value());
  EXPECT_THAT(counted->front().trajectories, SizeIs(1));
}

TEST(CountedBlocks, OfFiveBlocksThoseThatTheExperimentNamesCount) {
  PublishedExperiment experiment;
  experiment.selections = {{5, {"GEMM"}, {0, 1, 4}}};
  TurnTable table = empty_table(1);
  for (int block = 0; block < 5; ++block) {
    add_trajectory(table, {}, {with_target(0.1)});
    table.trajectories.back().prompt_block = block;
  }
  const CountedBlocks blocks(table, experiment);
  std::vector<bool> counts;
  for (const auto& planned : table.trajectories) counts.push_back(blocks.counts(planned));
  EXPECT_THAT(counts, ElementsAre(true, true, false, false, true));
}

}  // namespace
}  // namespace ptxbatch
