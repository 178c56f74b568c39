// The settings that a comparison takes for granted are those that an experiment gets by default.
#include "analysis/timing_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/judging.h"
#include "ranks/experiment.h"

namespace ptxbatch {
namespace {

TurnTable table_of(std::string experiment_text) {
  TurnTable table;
  table.experiment_text = std::move(experiment_text);
  return table;
}

TEST(TimingMethod, what_an_experiment_leaves_out_is_its_default) {
  const ProtocolSettings defaults;
  const std::string all =
      fmt::format("[protocol]\ntrials = {}\nwarmups = {}\niterations = {}\npair_blocks = {}\n",
                  defaults.trials, defaults.warmups, defaults.iterations, defaults.pair_blocks);
  for (const SpeedupKind kind : {SpeedupKind::kPaper, SpeedupKind::kPaired}) {
    EXPECT_EQ(timing_method(table_of(all), kind), timing_method(table_of(""), kind));
  }
}

TEST(TimingMethod, blocks_matter_to_paired_speedups_alone) {
  const TurnTable other = table_of("[protocol]\npair_blocks = 2\n");
  EXPECT_EQ(timing_method(other, SpeedupKind::kPaper),
            timing_method(table_of(""), SpeedupKind::kPaper));
  EXPECT_NE(timing_method(other, SpeedupKind::kPaired),
            timing_method(table_of(""), SpeedupKind::kPaired));
}

TEST(Judging, what_an_experiment_leaves_out_is_its_default) {
  const ProtocolSettings protocol;
  const StageBudgets budgets;
  const std::string all = fmt::format(
      "[protocol]\nabs_tolerance = {}\nrel_tolerance = {}\nsanitizers = [\"{}\"]\n"
      "unclaimed_ms = {}\nspeedup = \"{}\"\n"
      "[budgets]\ngenerate_s = {}\ncompile_s = {}\nsanitize_s = {}\nevaluate_s = {}\n"
      "evidence_s = {}\n",
      protocol.abs_tolerance, protocol.rel_tolerance, fmt::join(protocol.sanitizers, "\", \""),
      protocol.unclaimed_ms, protocol.speedup, budgets.generate_s, budgets.compile_s,
      budgets.sanitize_s, budgets.evaluate_s, budgets.evidence_s);
  EXPECT_THAT(judging_differences(table_of(all), table_of("")), testing::IsEmpty());
  EXPECT_THAT(judging_differences(table_of("[protocol]\nabs_tolerance = 0.5\n"), table_of("")),
              testing::SizeIs(1));
}

}  // namespace
}  // namespace ptxbatch
