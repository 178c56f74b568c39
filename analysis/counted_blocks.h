// Which prompt blocks count: the published turns have conditions with more blocks than the paper's
// numbers are made of, and their experiment says which (results/published_experiment.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "results/published_experiment.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// Both arguments must outlive it.
class CountedBlocks {
 public:
  CountedBlocks(const TurnTable& table, const PublishedExperiment& experiment);
  /// Where nothing is said of a condition, all its blocks count.
  [[nodiscard]] bool counts(const PlannedTrajectory& planned) const;

 private:
  using ConditionKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  static ConditionKey key_of(const PlannedTrajectory& planned);

  const PublishedExperiment& experiment_;
  std::map<ConditionKey, std::set<std::int32_t>> blocks_;
};

/// The tables with only the trajectories that count; those of other experiments stay as they are.
Result<std::vector<TurnTable>> with_counted_blocks(const std::vector<TurnTable>& tables);

}  // namespace ptxbatch
