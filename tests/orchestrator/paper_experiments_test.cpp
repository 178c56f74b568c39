// The experiments of the paper as files: their counts are the paper's, and what they will record
// fills the rows of its tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analysis/paper_layout.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/input_check.h"
#include "orchestrator/installation.h"
#include "orchestrator/plan.h"
#include "orchestrator/variant_section.h"

namespace ptxbatch {
namespace {

using testing::IsSubsetOf;

Experiment experiment_of(const std::string& name) {
  auto experiment = read_experiment_file(paper_experiment(name + ".toml"));
  if (experiment) return std::move(*experiment);
  ADD_FAILURE() << describe(experiment.error().front());
  return {};
}

struct Counts {
  const char* name;
  std::size_t rows;
  std::size_t problems;
};

void PrintTo(const Counts& counts, std::ostream* stream) {
  *stream << counts.name;
}

class PaperExperiment : public testing::TestWithParam<Counts> {};

// 12 trajectories of at most 8 turns for each row and problem: three prompt tags, four replicas.
TEST_P(PaperExperiment, HasThePapersCounts) {
  const Experiment experiment = experiment_of(GetParam().name);
  EXPECT_EQ(experiment.protocol.turns, 8);
  EXPECT_EQ(experiment.protocol.target_speedup, 1.2);
  std::map<std::string, int> trajectories;
  for (const PlannedTrajectory& one : expand_plan(experiment)) {
    ++trajectories[one.model + ", " + one.problem];
  }
  EXPECT_EQ(trajectories.size(), GetParam().rows * GetParam().problems);
  for (const auto& [condition, count] : trajectories) EXPECT_EQ(count, 12) << condition;
}

TEST_P(PaperExperiment, EveryPromptCanBeMade) {
  const Experiment experiment = experiment_of(GetParam().name);
  for (const Error& error : check_inputs(experiment)) ADD_FAILURE() << describe(error);
}

INSTANTIATE_TEST_SUITE_P(Each, PaperExperiment,
                         testing::Values(Counts{"table1_h100", 4, 5}, Counts{"table1_b200", 4, 5},
                                         Counts{"table3_ablation", 3, 1},
                                         Counts{"table4_guidance", 2, 4},
                                         Counts{"table4_notes", 2, 4}, Counts{"table8_sft", 7, 5},
                                         Counts{"heldout", 2, 8}),
                         [](const auto& each) { return each.param.name; });

/// What a run of the file would leave, as far as tables ask what it is of.
TurnTable planned_table(const std::string& name, const std::string& device) {
  TurnTable table;
  const Experiment experiment = experiment_of(name);
  table.max_turns = experiment.protocol.turns;
  table.experiment_name = experiment.name;
  table.experiment_text = experiment.text;
  table.devices = {{experiment.targets.front().name, device}};
  table.trajectories = expand_plan(experiment);
  return table;
}

using Cell = std::tuple<std::string, std::string, std::string>;  // device, row, problem

std::set<Cell> cells_of_paper(const PaperLayout& layout, const std::vector<PaperCell>& cells) {
  std::set<Cell> result;
  for (const PaperCell& cell : cells) {
    if (cell.table == layout.table.number) result.insert({cell.device, cell.row, cell.problem});
  }
  return result;
}

class PaperTable : public testing::TestWithParam<std::int32_t> {};

TEST_P(PaperTable, IsFilledByTheExperiments) {
  const auto values = read_paper_values(paper_values_folder());
  ASSERT_TRUE(values) << describe(values.error());
  const PaperLayout layout = paper_layout(*values, GetParam());
  std::vector<TurnTable> tables = {planned_table("table1_b200", "NVIDIA B200")};
  for (const char* name :
       {"table1_h100", "table3_ablation", "table4_guidance", "table4_notes", "table8_sft"}) {
    tables.push_back(planned_table(name, "NVIDIA H100 80GB HBM3"));
  }
  const PaperGrouping grouping =
      group_for_paper(tables, std::vector<PublishedExperiment>(tables.size()), layout);
  std::set<Cell> filled;
  for (const std::uint32_t number : grouping.shown) {
    const Condition& condition = grouping.conditions.list[number];
    filled.insert({condition.target, condition.model, condition.problem});
    EXPECT_EQ(condition.trajectories, 12) << condition.model << ", " << condition.problem;
  }
  EXPECT_THAT(cells_of_paper(layout, values->cells), IsSubsetOf(filled));
}

INSTANTIATE_TEST_SUITE_P(Each, PaperTable, testing::Values(1, 3, 4, 7, 8, 9));

// Table 4 compares what differs in the prompt by the expert rules alone.
TEST(PaperExperiments, WithoutGuidanceMeansWithoutTheExpertRulesAlone) {
  const Experiment with = experiment_of("table8_sft");
  const Experiment without = experiment_of("table4_guidance");
  ASSERT_EQ(with.prompts.size(), without.prompts.size());
  for (std::size_t i = 0; i < with.prompts.size(); ++i) {
    EXPECT_EQ(with.prompts[i].tag, without.prompts[i].tag);
    for (const auto& [op_type, names] : with.prompts[i].guidance) {
      if (op_type == "gemm") continue;
      std::vector<std::string> kept = names;
      EXPECT_EQ(std::erase(kept, "expert_rules"), 1U) << op_type;
      const auto other = without.prompts[i].guidance.find(op_type);
      EXPECT_EQ(kept, other == without.prompts[i].guidance.end() ? std::vector<std::string>()
                                                                 : other->second);
    }
  }
}

}  // namespace
}  // namespace ptxbatch
