// The paper's tables in its layout: which trajectories stand in which cell, all output formats, and
// what a check says of cells that match, differ or are missing.
#include "analysis/paper_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/paper_chance.h"
#include "analysis/paper_check.h"
#include "analysis/paper_facts.h"
#include "common/file_system.h"
#include "tests/analysis/golden_file.h"
#include "tests/analysis/small_paper.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

std::string render(const std::vector<TurnTable>& tables, std::int32_t number,
                   const PaperTableOptions& options) {
  const auto text = render_paper_table(tables, small_paper(), PAPER_FOLDER, number, options);
  return text ? *text : "error: " + describe(text.error());
}

PaperTableOptions as(TableFormat format, bool intervals = false) {
  return {format, intervals, 0};
}

TEST(PaperTables, published_turns_fill_the_papers_rows_and_own_runs_come_behind) {
  const std::vector<TurnTable> tables = {published_turns(), own_run()};
  expect_golden("paper.txt", render(tables, 1, as(TableFormat::kTerminal)) + "\n" +
                                 render(tables, 3, as(TableFormat::kTerminal, true)));
}

TEST(PaperTables, markdown_and_latex) {
  expect_golden("paper.md", render({published_turns()}, 1, as(TableFormat::kMarkdown)));
  expect_golden("paper.tex", render({published_turns()}, 3, as(TableFormat::kLatex)));
}

TEST(PaperTables, csv_has_the_columns_of_the_papers_values) {
  expect_golden("paper.csv", render({published_turns()}, 1, as(TableFormat::kCsv)));
  EXPECT_THAT(render({published_turns()}, 1, as(TableFormat::kCsv, true)),
              HasSubstr("value,low,high\n1,turn_correctness_pct,H100,A,GEMM,1,"
                        "target_instruction,50.0,"));
}

TEST(PaperTables, the_host_has_no_place_in_them) {
  EXPECT_THAT(render({own_run()}, 1, as(TableFormat::kTerminal)), Not(HasSubstr("processor")));
  TurnTable host = empty_table(2);
  add_trajectory(host, {"C", "GEMM", "base", "host"}, {with_target(3)});
  EXPECT_THAT(render({host}, 1, as(TableFormat::kTerminal)),
              HasSubstr("nothing in these files belongs to Table 1"));
}

// A run of A with a GEMM of another size.
TurnTable another_gemm() {
  TurnTable table = empty_table(2);
  table.experiment_name = "small GEMM";
  table.devices = {{"hopper", "NVIDIA H100"}};
  for (int i = 0; i < 12; ++i) {
    add_trajectory(table, {"A", "GEMM", "base", "hopper", "gemm", "another"}, {with_target(2)});
  }
  return table;
}

TEST(PaperTables, another_problem_of_a_papers_name_does_not_stand_in_them) {
  const PaperTableOptions options = as(TableFormat::kTerminal);
  const std::string why =
      "Left out: GEMM of small GEMM is gemm, workload another; the paper's is gemm, workload w.";
  EXPECT_THAT(render({another_gemm()}, 1, options),
              AllOf(HasSubstr("nothing in these files belongs to Table 1"), HasSubstr(why)));
  const std::string both = render({published_turns(), another_gemm()}, 1, options);
  EXPECT_THAT(both, HasSubstr("H100, A, GEMM: 2"));
  EXPECT_THAT(both, HasSubstr("Left out: GEMM of small GEMM"));
}

TEST(PaperTables, no_correct_turn_at_all_still_gives_a_table) {
  TurnTable table = published_turns();
  for (Label& label : table.label) label = Label::kRuntimeError;
  EXPECT_THAT(render({table}, 1, as(TableFormat::kTerminal, true)), HasSubstr("– [–] / – [–]"));
  EXPECT_THAT(render({table}, 3, as(TableFormat::kTerminal, true)), HasSubstr("– [–] / – [–]"));
}

TEST(PaperTables, those_of_facts_need_no_results) {
  const PaperValues values = read_paper_values(PAPER_FOLDER).value();
  std::string text;
  PaperTableOptions options;
  options.packs = {GOLDEN_FOLDER "/pack.toml"};
  for (const std::int32_t number : {2, 5, 6, 10}) {
    EXPECT_FALSE(needs_results(values, number));
    text += render_paper_table({}, values, PAPER_FOLDER, number, options).value() + "\n";
  }
  expect_golden("paper_facts.txt", text);
  EXPECT_THAT(render_paper_table({}, values, PAPER_FOLDER, 10, as(TableFormat::kCsv)).value(),
              HasSubstr("s0,8ops-Extended,KernelGen,GLM-5.2,494\n"));
}

TEST(PaperTables, a_pack_that_was_not_counted_is_named_with_the_remedy) {
  const PaperValues values = read_paper_values(PAPER_FOLDER).value();
  const TestFolder folder;
  ASSERT_TRUE(write_text(folder.file("pack.toml"),
                         "name = \"new\"\n[[components]]\nlevel = \"contract\"\n"));
  PaperTableOptions options;
  options.packs = {folder.file("pack.toml")};
  const auto table = render_paper_table({}, values, PAPER_FOLDER, 6, options);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().key, "components[0].tokens");
  EXPECT_THAT(table.error().hint, HasSubstr("count_tokens.py"));
}

TEST(PaperTables, months_are_counted_between_months) {
  EXPECT_EQ(months_between("2022-12", "2025-01").value(), 25);
  EXPECT_EQ(months_between("2025-01", "2024-11").value(), -2);
  EXPECT_THAT(months_between("2025-01", "2024-13").error().what, HasSubstr("2024-13"));
  EXPECT_FALSE(months_between("2025", "2024-12"));
}

PaperCheck check(const std::vector<TurnTable>& tables) {
  return check_paper(tables, small_paper()).value();
}

std::vector<CheckedCell> checked(const std::vector<TurnTable>& tables) {
  return check(tables).cells;
}

TEST(PaperCheck, every_number_is_matched_different_with_a_reason_or_missing) {
  const PaperCheck result = check({published_turns()});
  expect_golden("check.txt", render_check(result, small_paper(), TableFormat::kTerminal, 0));
  expect_golden("check.csv", render_check(result, small_paper(), TableFormat::kCsv, 0));
  const CheckCounts counts = count_cells(result.cells);
  EXPECT_EQ(counts.matching, 23U);
  EXPECT_EQ(counts.differing, 1U);
  EXPECT_EQ(counts.unexplained, 0U);
}

// A run of A with GEMM on the paper's device: trajectories that are all like this.
TurnTable like_runs(int trajectories, const std::vector<Turn>& turns) {
  TurnTable table = empty_table(2);
  table.devices = {{"hopper", "NVIDIA H100 80GB HBM3"}};
  for (int i = 0; i < trajectories; ++i) {
    add_trajectory(table, {"A", "GEMM", "base", "hopper"}, turns);
  }
  return table;
}

TEST(PaperCheck, what_two_like_results_do_not_differ_by_is_not_explained) {
  const auto cells = checked({like_runs(40, {with_target(0.1), with_target(0.1)})});
  EXPECT_EQ(cells[0].state, CheckedCell::State::kDiffers);
  EXPECT_EQ(cells[0].here, "100.0");
  EXPECT_EQ(cells[0].cause, CheckedCell::Cause::kUnknown);
  EXPECT_THAT(cells[0].reason, HasSubstr("of 40 and 12 trajectories"));
  EXPECT_GE(count_cells(cells).unexplained, 3U);
  EXPECT_EQ(count_cells(cells).missing, 20U);
}

// 75.0 % of our 12 trajectories, 50.0 of the paper's 12.
TEST(PaperCheck, the_papers_trajectories_are_as_few_as_ours) {
  TurnTable table = like_runs(9, {with_target(0.1), with_target(0.1)});
  for (int i = 0; i < 3; ++i) {
    add_trajectory(table, {"A", "GEMM", "base", "hopper"}, {failed(Label::kOtherError)});
  }
  const auto cells = checked({table});
  EXPECT_EQ(cells[0].here, "75.0");
  EXPECT_EQ(cells[0].cause, CheckedCell::Cause::kChance);
  EXPECT_EQ(count_cells(cells).unexplained, 0U);
}

TEST(PaperCheck, another_problem_of_a_papers_name_is_not_checked) {
  const PaperCheck result = check({another_gemm()});
  EXPECT_EQ(count_cells(result.cells).missing, result.cells.size());
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("Left out: GEMM of small GEMM")));
  EXPECT_THAT(render_check(result, small_paper(), TableFormat::kTerminal, 0),
              HasSubstr("Left out: GEMM of small GEMM"));
}

TEST(PaperCheck, an_unfinished_run_is_shown_but_neither_matches_nor_differs) {
  TurnTable table = like_runs(12, {});
  table.complete = false;
  const PaperCheck result = check({table});
  const CheckCounts counts = count_cells(result.cells);
  EXPECT_EQ(counts.unfinished, 4U);
  EXPECT_EQ(counts.compared(), 0U);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("Incomplete: trial has 0 of at most 24 turns")));
  EXPECT_THAT(render_check(result, small_paper(), TableFormat::kTerminal, 0),
              AllOf(HasSubstr("–… / –…"), HasSubstr("4 are of unfinished runs")));
  EXPECT_THAT(render_check(result, small_paper(), TableFormat::kCsv, 0), HasSubstr(",unfinished,"));
}

TEST(PaperCheck, two_trajectories_cannot_be_judged) {
  const auto cells = checked({like_runs(2, {with_target(0.1), with_target(0.1)})});
  EXPECT_EQ(cells[0].cause, CheckedCell::Cause::kUnjudged);
  EXPECT_EQ(count_cells(cells).unexplained, 0U);
  EXPECT_EQ(count_cells(cells).unjudged, 4U);
}

CheckedCell best_speedup(const char* paper, const std::vector<double>& ours) {
  TrajectoryScores scores;
  for (const double one : ours) scores.push_back({8, 1, one});
  CheckedCell cell;
  cell.paper.metric = PaperMetric::kBestSpeedup;
  cell.paper.text = paper;
  explain_by_chance(scores, cell);
  return cell;
}

TEST(PaperCheck, a_lesser_best_than_the_papers_cannot_be_judged) {
  EXPECT_EQ(best_speedup("0.900", {0.5, 0.5, 0.5, 0.5, 0.5}).cause, CheckedCell::Cause::kUnjudged);
  // One luckier trajectory of ours is chance; all of them luckier are not.
  EXPECT_EQ(best_speedup("0.300", {0.9, 0.2, 0.2, 0.2, 0.2}).cause, CheckedCell::Cause::kChance);
  EXPECT_EQ(best_speedup("0.300", {0.9, 0.8, 0.7, 0.6, 0.5}).cause, CheckedCell::Cause::kUnknown);
  EXPECT_EQ(best_speedup("", {0.9, 0.8, 0.7, 0.6, 0.5}).cause, CheckedCell::Cause::kUnknown);
}

TEST(PaperCheck, what_is_known_of_published_turns_explains_no_others) {
  TurnTable own = empty_table(2);
  own.devices = {{"hopper", "NVIDIA H100"}};
  add_trajectory(own, {"B", "GEMM", "base", "hopper"}, {failed(Label::kOtherError)});
  const auto cells = checked({published_turns(), own});
  const auto known = std::count_if(cells.begin(), cells.end(), [](const CheckedCell& cell) {
    return cell.cause == CheckedCell::Cause::kKnown;
  });
  EXPECT_EQ(known, 0);
}

}  // namespace
}  // namespace ptxbatch
