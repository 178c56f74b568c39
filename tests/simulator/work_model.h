// What the simulated turns are and how long they take: labels and reasoning lengths drawn from the
// published turns (turn_statistics.csv), stage times from what docs/performance.md says of an H200.
// A turn is the same for the same seed, whoever asks and when: so the work is known beforehand, and
// a schedule can be held against it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "ranks/experiment.h"
#include "results/records.h"

namespace ptxbatch {

/// The published turns of one model.
struct ModelStatistics {
  std::string model;
  std::array<std::int64_t, kLabelCount> turns{};  // by label
  std::array<double, 11> tokens{};                // deciles of the reasoning tokens

  [[nodiscard]] std::int64_t all_turns() const;
};

Result<std::vector<ModelStatistics>> read_turn_statistics(const std::string& path);

struct SimulatedTurn {
  Label label = Label::kOtherError;
  std::int64_t reasoning_tokens = 0;
  std::int64_t completion_tokens = 0;
  double generate_s = 0;
  double compile_s = 0;
  double device_s = 0;  // without making the workload resident
};

class WorkModel {
 public:
  /// `tokens_per_s` of one stream.
  WorkModel(std::vector<ModelStatistics> statistics, std::vector<PlannedTrajectory> plan,
            double tokens_per_s, std::uint64_t seed);

  [[nodiscard]] SimulatedTurn turn(std::int32_t trajectory, std::int32_t turn) const;
  [[nodiscard]] const std::vector<PlannedTrajectory>& plan() const { return plan_; }

 private:
  const ModelStatistics& statistics_of(std::int32_t trajectory) const;

  std::vector<ModelStatistics> statistics_;
  std::vector<PlannedTrajectory> plan_;
  std::vector<std::size_t> row_of_;  // by trajectory
  double tokens_per_s_;
  std::uint64_t seed_;
};

/// So many trajectories of these models, problems and prompt tags, in plan order; each model has
/// its share of the published turns.
std::vector<PlannedTrajectory> simulated_plan(const Experiment& experiment,
                                              const std::vector<ModelStatistics>& statistics,
                                              std::int32_t trajectories);

}  // namespace ptxbatch
