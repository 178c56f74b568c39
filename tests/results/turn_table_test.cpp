#include "results/turn_table.h"

#include <gtest/gtest.h>

#include "results/results_file.h"
#include "tests/results/example_records.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

class TurnTableTest : public testing::Test {
 protected:
  Status write(const std::vector<Record>& records, bool complete = true) {
    return write_results_file(real_file_system(), path_, source_of(records), complete);
  }

  TestFolder folder_;
  std::string path_ = folder_.file("run.h5");
};

TEST_F(TurnTableTest, HoldsTheColumnsOfEveryTurn) {
  const auto records = collect(synthetic_records({.turns = 500, .with_texts = false}));
  ASSERT_TRUE(write(records));
  const auto table = read_turn_table(path_);
  ASSERT_TRUE(table) << describe(table.error());
  std::size_t row = 0;
  for (const Record& record : records) {
    const auto* turn = std::get_if<TurnRecord>(&record);
    if (turn == nullptr) continue;
    ASSERT_LT(row, table->size());
    EXPECT_EQ(table->trajectory[row], turn->trajectory);
    EXPECT_EQ(table->turn[row], turn->turn);
    EXPECT_EQ(table->label[row], turn->label);
    EXPECT_EQ(table->target_instruction[row], turn->target_instruction);
    EXPECT_EQ(table->speedup[row], turn->speedup);
    EXPECT_EQ(table->paired_speedup[row], turn->paired_speedup);
    EXPECT_EQ(table->flop_coverage[row], turn->flop_coverage);
    EXPECT_EQ(table->reasoning_tokens[row], turn->reasoning_tokens);
    ++row;
  }
  EXPECT_EQ(row, 500U);
  EXPECT_EQ(table->size(), row);
}

TEST_F(TurnTableTest, HoldsTheExperimentsSettingsAndPlan) {
  const ExperimentRecord experiment = synthetic_experiment({.turns = 40});
  ASSERT_TRUE(write({experiment}, false));
  const auto table = read_turn_table(path_);
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->experiment_name, experiment.name);
  EXPECT_EQ(table->max_turns, experiment.turns);
  EXPECT_EQ(table->target_speedup, experiment.target_speedup);
  EXPECT_FALSE(table->complete);
  EXPECT_EQ(table->trajectories, experiment.trajectories);
  EXPECT_EQ(table->size(), 0U);
}

TEST_F(TurnTableTest, NamesEachKindOfDeviceOnce) {
  std::vector<Record> records = {synthetic_experiment({.turns = 1})};
  for (const char* name : {"Xeon core 0", "Xeon core 11", "Core core", "NVIDIA H200"}) {
    EnvironmentRecord environment;
    environment.rank = static_cast<std::int32_t>(records.size());
    environment.target = records.size() < 4 ? "host" : "hopper";
    environment.device_name = name;
    records.emplace_back(environment);
  }
  ASSERT_TRUE(write(records));
  const std::vector<TargetDevice> expected = {
      {"host", "Xeon"}, {"host", "Core core"}, {"hopper", "NVIDIA H200"}};
  EXPECT_EQ(read_turn_table(path_)->devices, expected);
}

TEST_F(TurnTableTest, PutsTrajectoriesAtTheirIndex) {
  ExperimentRecord experiment = synthetic_experiment({.turns = 40});
  const auto planned = experiment.trajectories;
  std::reverse(experiment.trajectories.begin(), experiment.trajectories.end());
  ASSERT_TRUE(write({experiment}));
  const auto table = read_turn_table(path_);
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->trajectories, planned);
}

TEST_F(TurnTableTest, RefusesATurnOfATrajectoryThatIsNotPlanned) {
  for (const std::int32_t trajectory : {-1, 3}) {
    TurnRecord turn;
    turn.trajectory = trajectory;
    ASSERT_TRUE(write({example_records()[0], turn}));
    const auto table = read_turn_table(path_);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().kind, ErrorKind::kInput);
    EXPECT_EQ(table.error().file, path_);
  }
}

TEST_F(TurnTableTest, RefusesAPlanWithAnIndexTwice) {
  auto experiment = std::get<ExperimentRecord>(example_records()[0]);
  experiment.trajectories[1].index = 0;
  ASSERT_TRUE(write({experiment}));
  EXPECT_FALSE(read_turn_table(path_));
}

}  // namespace
}  // namespace ptxbatch
