#include "analysis/counted_blocks.h"

#include <algorithm>

#include "analysis/paper_layout.h"
#include "analysis/selection.h"

namespace ptxbatch {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

CountedBlocks::CountedBlocks(const TurnTable& table, const PublishedExperiment& experiment)
    : experiment_(experiment) {
  for (const PlannedTrajectory& planned : table.trajectories) {
    blocks_[key_of(planned)].insert(planned.prompt_block);
  }
}

CountedBlocks::ConditionKey CountedBlocks::key_of(const PlannedTrajectory& planned) {
  return {planned.model, planned.target, planned.problem, planned.definition, planned.workload};
}

bool CountedBlocks::counts(const PlannedTrajectory& planned) const {
  const auto run_blocks = static_cast<std::int32_t>(blocks_.at(key_of(planned)).size());
  for (const BlockSelection& selection : experiment_.selections) {
    if (selection.run_blocks == run_blocks && contains(selection.problems, planned.problem)) {
      return contains(selection.blocks, planned.prompt_block);
    }
  }
  return true;
}

Result<std::vector<TurnTable>> with_counted_blocks(const std::vector<TurnTable>& tables) {
  std::vector<TurnTable> result;
  for (const TurnTable& table : tables) {
    const auto experiment = paper_selection(table);
    if (!experiment) return fail(experiment.error());
    const CountedBlocks blocks(table, *experiment);
    result.push_back(select_trajectories(
        table, [&blocks](const PlannedTrajectory& planned) { return blocks.counts(planned); }));
  }
  return result;
}

}  // namespace ptxbatch
