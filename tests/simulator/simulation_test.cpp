// What the coordinator owes whatever the number of ranks, over small simulations: facts of the
// schedule and of the files, which are the same on every machine.
#include "tests/simulator/simulation.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "common/log.h"
#include "orchestrator/exit_codes.h"
#include "results/results_file.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

class SimulationTest : public testing::Test {
 protected:
  // The coordinator logs a line every ten seconds, of which virtual time has many.
  static void SetUpTestSuite() { start_log("", "simulation"); }

  // Without rewrites of the results file, which take the machine's time and change nothing here.
  static SimulationSettings small() {
    SimulationSettings settings;
    settings.sync = false;
    settings.rank.with_texts = false;
    settings.checkpoint_s = 1e9;
    return settings;
  }

  SimulationResult run(SimulationSettings settings) {
    const TestFolder folder;
    settings.results_path = folder.file("run.h5");
    auto result = simulate(settings);
    EXPECT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->outcome.exit_code, kExitDone);
    count_records(settings.results_path);
    return std::move(*result);
  }

  void count_records(const std::string& path) {
    turns_.clear();
    ends_.clear();
    const auto read = read_results_file(path, [this](Record&& record) -> Status {
      if (const auto* turn = std::get_if<TurnRecord>(&record)) {
        ++turns_[{turn->trajectory, turn->turn}];
      } else if (const auto* end = std::get_if<TrajectoryEndRecord>(&record)) {
        ++ends_[end->trajectory];
      }
      return {};
    });
    EXPECT_TRUE(read) << describe(read.error());
  }

  void expect_all_once(std::int32_t trajectories, int turns) const {
    EXPECT_EQ(ends_.size(), static_cast<std::size_t>(trajectories));
    for (const auto& [trajectory, count] : ends_) EXPECT_EQ(count, 1) << trajectory;
    EXPECT_EQ(turns_.size(), static_cast<std::size_t>(trajectories * turns));
    for (const auto& [turn, count] : turns_) {
      EXPECT_EQ(count, 1) << "turn " << turn.second << " of trajectory " << turn.first;
    }
  }

  std::map<std::pair<std::int32_t, std::int32_t>, int> turns_;  // how often, by trajectory and turn
  std::map<std::int32_t, int> ends_;                            // by trajectory
};

TEST_F(SimulationTest, EveryTrajectoryEndsOnceAndEveryTurnIsStoredOnce) {
  SimulationSettings settings = small();
  settings.ranks = 64;
  settings.trajectories = 500;
  settings.rank.with_texts = true;
  const SimulationResult result = run(settings);
  expect_all_once(500, settings.turns);
  EXPECT_EQ(result.use.turns, 500 * settings.turns);
}

// 3.2 % where a rank has 250 trajectories: the last of them end one after the other.
TEST_F(SimulationTest, WithAPlaceForEachTrajectoryTheLongestOneIsTheMakespan) {
  SimulationSettings settings = small();
  settings.ranks = 4;
  settings.trajectories = 120;
  const SimulationResult result = run(settings);
  const double bound_s = binding(result.bounds).seconds;
  EXPECT_GE(result.makespan_s, bound_s);
  EXPECT_LE(result.makespan_s, 1.02 * bound_s);
}

TEST_F(SimulationTest, WithManyTrajectoriesAPlaceTheMakespanIsNearTheBound) {
  SimulationSettings settings = small();
  settings.ranks = 2;
  settings.generating = 16;
  settings.trajectories = 500;
  const SimulationResult result = run(settings);
  expect_all_once(500, settings.turns);
  const double bound_s = binding(result.bounds).seconds;
  EXPECT_GE(result.makespan_s, bound_s);
  EXPECT_LE(result.makespan_s, 1.05 * bound_s);
}

TEST_F(SimulationTest, AffinityMakesFewerWorkloadsResident) {
  SimulationSettings settings = small();
  settings.ranks = 4;
  settings.trajectories = 200;
  settings.workloads = 20;
  settings.rank.resident_workloads = 2;
  const std::int64_t with = run(settings).use.loads;
  settings.affinity = false;
  EXPECT_LT(with, run(settings).use.loads);
}

TEST_F(SimulationTest, TheSameSeedGivesTheSameSchedule) {
  SimulationSettings settings = small();
  settings.ranks = 4;
  settings.trajectories = 100;
  const double makespan_s = run(settings).makespan_s;
  EXPECT_EQ(run(settings).makespan_s, makespan_s);
  settings.seed = 2;
  EXPECT_NE(run(settings).makespan_s, makespan_s);
}

TEST_F(SimulationTest, NoMoreCallsThanTheModelsLimitAreOut) {
  SimulationSettings settings = small();
  settings.ranks = 8;
  settings.trajectories = 200;
  settings.model_in_flight = 4;
  const SimulationResult result = run(settings);
  expect_all_once(200, settings.turns);
  EXPECT_GE(result.makespan_s, binding(result.bounds).seconds);
}

}  // namespace
}  // namespace ptxbatch
