// Two results side by side: what changed, what may be chance, and what is not compared.
#include "analysis/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/golden_file.h"
#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

// `correct` of the trajectories solve their one turn.
TurnTable run(int correct, double speedup, const std::string& model = "m", int trajectories = 20) {
  TurnTable table = empty_table(1);
  table.experiment_text = "name = \"run\"\n";
  table.devices = {{"hopper", "NVIDIA H100 80GB HBM3"}};
  for (int i = 0; i < trajectories; ++i) {
    add_trajectory(table, {model, "GEMM", "base", "hopper"},
                   {i < correct ? with_target(speedup) : failed(Label::kRuntimeError)});
  }
  return table;
}

TEST(Comparison, change_is_told_from_chance) {
  TurnTable second = run(15, 0.8);
  add_trajectory(second, {"new", "GEMM", "base", "hopper"}, {with_target(0.1)});
  const Comparison comparison = compare(run(4, 0.5), second, {}).value();
  ASSERT_EQ(comparison.numbers.size(), 4U);
  EXPECT_TRUE(comparison.numbers[0].change.beyond_chance());
  EXPECT_DOUBLE_EQ(comparison.numbers[0].change.value, 0.55);
  expect_golden("comparison.txt",
                render_comparison(comparison, "a.h5", "b.h5", TableFormat::kTerminal, 0));
  expect_golden("comparison.csv",
                render_comparison(comparison, "a.h5", "b.h5", TableFormat::kCsv, 0));
}

TEST(Comparison, a_small_change_is_not_more_than_chance) {
  const Comparison comparison = compare(run(8, 0.5), run(11, 0.5), {}).value();
  EXPECT_FALSE(comparison.numbers[0].change.beyond_chance());
  EXPECT_GT(comparison.numbers[0].change.value, 0);
}

TEST(Comparison, a_few_trajectories_are_compared_but_never_marked) {
  const TurnTable none = run(0, 0.5, "m", 1);
  const Comparison comparison = compare(none, run(1, 0.5, "m", 1), {}).value();
  for (const ComparedNumber& number : comparison.numbers) {
    EXPECT_FALSE(number.change.beyond_chance());
  }
  const std::string text = render_comparison(comparison, "a", "b", TableFormat::kTerminal, 0);
  EXPECT_THAT(text, HasSubstr("– → 100.0: +100.0 [–]"));
  EXPECT_THAT(text, HasSubstr("Fewer than 4 trajectories do not show how much they vary"));
  EXPECT_THAT(text, HasSubstr("0 of 4 numbers differ by more than chance, 4 cannot be told from"));
  EXPECT_THAT(render_comparison(comparison, "a", "b", TableFormat::kCsv, 0),
              HasSubstr(",0,100,100,,,,\n"));
}

TEST(Comparison, one_fast_trajectory_more_is_not_more_than_chance) {
  TurnTable second = run(8, 0.5);
  second.speedup.front() = 0.9;
  const Comparison comparison = compare(run(8, 0.5), second, {}).value();
  EXPECT_EQ(comparison.numbers.back().kind, TableKind::kBestSpeedup);
  EXPECT_GT(comparison.numbers.back().change.value, 0.3);
  EXPECT_FALSE(comparison.numbers.back().change.beyond_chance());
}

TEST(Comparison, paired_speedups_are_called_so) {
  ComparisonOptions options;
  options.speedup = SpeedupKind::kPaired;
  const Comparison comparison = compare(run(8, 0.5), run(8, 0.6), options).value();
  EXPECT_THAT(render_comparison(comparison, "a", "b", TableFormat::kTerminal, 0),
              HasSubstr("Best speedup (×), measured in pairs: a → b"));
  EXPECT_THAT(render_comparison(comparison, "a", "b", TableFormat::kCsv, 0),
              HasSubstr("\nbest_paired_speedup,hopper,"));
}

TEST(Comparison, a_file_is_like_itself) {
  const Comparison comparison = compare(run(8, 0.5), run(8, 0.5), {}).value();
  for (const ComparedNumber& number : comparison.numbers) {
    EXPECT_EQ(number.first, number.second);
    EXPECT_FALSE(number.change.beyond_chance());
  }
}

TEST(Comparison, files_without_a_correct_turn_compare) {
  const Comparison comparison = compare(run(0, 0), run(0, 0), {}).value();
  EXPECT_THAT(render_comparison(comparison, "a", "b", TableFormat::kMarkdown, 0),
              HasSubstr("0 of 4 numbers differ"));
}

TEST(Comparison, problems_that_only_share_a_name_are_not_compared) {
  TurnTable other = run(8, 0.5);
  for (PlannedTrajectory& planned : other.trajectories) planned.workload = "larger";
  const Error error = compare(run(8, 0.5), other, {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kConflict);
  EXPECT_THAT(error.what, HasSubstr("GEMM is gemm, workload w in the first file and gemm, "
                                    "workload larger in the second"));
  for (PlannedTrajectory& planned : other.trajectories) planned.definition = "gemm_f32";
  EXPECT_THAT(compare(run(8, 0.5), other, {}).error().what, HasSubstr("gemm_f32"));
}

TEST(Comparison, unfinished_runs_are_said_to_be_and_empty_ones_refused) {
  TurnTable unfinished = run(8, 0.5);
  unfinished.complete = false;
  EXPECT_THAT(
      compare(run(8, 0.5), unfinished, {})->notes,
      ElementsAre("Of the second file: Incomplete: trial has 20 of at most 20 turns so far; "
                  "what is missing counts as not correct."));
  TurnTable empty = empty_table(1);
  add_trajectory(empty, {"m", "GEMM", "base", "hopper"}, {});
  const Error error = compare(empty, run(8, 0.5), {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_THAT(error.what, HasSubstr("the first file has no turns"));
}

TEST(Comparison, devices_are_not_mixed_unless_asked_for) {
  TurnTable other = run(8, 0.5);
  other.devices = {{"hopper", "NVIDIA H200"}};
  const Error error = compare(run(8, 0.5), other, {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kConflict);
  EXPECT_THAT(error.what, HasSubstr("H100 in the first file and H200 in the second"));
  EXPECT_THAT(error.hint, HasSubstr("--across devices"));
  ComparisonOptions options;
  options.across_devices = true;
  EXPECT_THAT(compare(run(8, 0.5), other, options)->notes,
              ElementsAre(HasSubstr("Compared nevertheless: the target hopper is H100")));
}

TEST(Comparison, ways_of_timing_are_not_mixed_unless_asked_for) {
  TurnTable other = run(8, 0.5);
  other.experiment_text = "[protocol]\niterations = 20\n";
  const Error error = compare(run(8, 0.5), other, {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kConflict);
  EXPECT_THAT(error.what, HasSubstr("medians of 20 calls"));
  ComparisonOptions options;
  options.across_timing = true;
  EXPECT_TRUE(compare(run(8, 0.5), other, options));
}

TEST(Comparison, ways_of_judging_are_not_mixed_unless_asked_for) {
  const auto judged = [](const std::string& settings) {
    TurnTable table = run(8, 0.5);
    table.experiment_text = settings;
    return table;
  };
  const auto refusal = [&](const TurnTable& other) {
    const auto comparison = compare(run(8, 0.5), other, {});
    return comparison ? std::string() : describe(comparison.error());
  };
  EXPECT_THAT(refusal(judged("[protocol]\nabs_tolerance = 0.001\n")),
              AllOf(HasSubstr("abs_tolerance is 0.01 in the first file and 0.001 in the second"),
                    HasSubstr("--across judging")));
  EXPECT_THAT(refusal(judged("[protocol]\nsanitizers = [\"racecheck\", \"memcheck\"]\n")),
              HasSubstr("sanitizers is memcheck in the first file and memcheck, racecheck in"));
  EXPECT_THAT(refusal(judged("[budgets]\nevaluate_s = 60\n")), HasSubstr("evaluate_s is 30 in"));
  TurnTable longer = run(8, 0.5);
  longer.target_speedup = 2;
  EXPECT_THAT(refusal(longer), HasSubstr("target_speedup is 0 in the first file and 2 in"));
  // The defaults, written out.
  EXPECT_EQ(refusal(judged("[protocol]\nrel_tolerance = 1e-2\nsanitizers = [\"memcheck\"]\n"
                           "[budgets]\nevaluate_s = 30\ncompile_s = 120.0\n")),
            "");
  ComparisonOptions options;
  options.across_judging = true;
  EXPECT_THAT(compare(run(8, 0.5), longer, options)->notes,
              ElementsAre(HasSubstr("Compared nevertheless: target_speedup is 0")));
}

TEST(Comparison, a_file_without_paired_speedups_is_not_compared_by_them) {
  TurnTable other = run(8, 0.5);
  for (double& speedup : other.paired_speedup) speedup = 0;
  ComparisonOptions options;
  options.speedup = SpeedupKind::kPaired;
  EXPECT_TRUE(compare(run(8, 0.5), run(8, 0.5), options));
  EXPECT_THAT(compare(run(8, 0.5), other, options).error().what, HasSubstr("the second file"));
}

TEST(Comparison, files_with_nothing_in_common_say_what_they_have) {
  const Error error = compare(run(8, 0.5), run(8, 0.5, "another"), {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_THAT(error.hint, HasSubstr("hopper, another, GEMM"));
}

}  // namespace
}  // namespace ptxbatch
