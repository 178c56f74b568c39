#include "analysis/selection.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ptxbatch {
namespace {

// Where a name stands among the wanted ones; 0 when all are wanted, the list's size when this one
// is not.
std::size_t place_in(const std::vector<std::string>& wanted, const std::string& name) {
  if (wanted.empty()) return 0;
  return static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), name) - wanted.begin());
}

bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || place_in(wanted, name) < wanted.size();
}

// The indices of the selected trajectories, in the order of the selection's lists.
std::vector<std::int32_t> chosen(const TurnTable& table, const Selection& selection) {
  std::vector<std::int32_t> indices;
  for (const PlannedTrajectory& planned : table.trajectories) {
    if (is_wanted(selection.models, planned.model) &&
        is_wanted(selection.targets, planned.target) &&
        is_wanted(selection.problems, planned.problem)) {
      indices.push_back(planned.index);
    }
  }
  const auto places = [&](std::int32_t index) {
    const PlannedTrajectory& planned = table.trajectories[static_cast<std::size_t>(index)];
    return std::array{place_in(selection.models, planned.model),
                      place_in(selection.targets, planned.target),
                      place_in(selection.problems, planned.problem)};
  };
  std::stable_sort(indices.begin(), indices.end(), [&](std::int32_t one, std::int32_t other) {
    return places(one) < places(other);
  });
  return indices;
}

void add_row(TurnTable& to, const TurnTable& from, std::size_t row, std::int32_t trajectory) {
  to.trajectory.push_back(trajectory);
  to.turn.push_back(from.turn[row]);
  to.label.push_back(from.label[row]);
  to.target_instruction.push_back(from.target_instruction[row]);
  to.speedup.push_back(from.speedup[row]);
  to.paired_speedup.push_back(from.paired_speedup[row]);
  to.flop_coverage.push_back(from.flop_coverage[row]);
  to.reasoning_tokens.push_back(from.reasoning_tokens[row]);
}

// These trajectories of the table, in this order.
TurnTable take(const TurnTable& table, const std::vector<std::int32_t>& indices) {
  TurnTable result;
  result.max_turns = table.max_turns;
  result.target_speedup = table.target_speedup;
  result.experiment_name = table.experiment_name;
  result.experiment_text = table.experiment_text;
  result.complete = table.complete;
  std::vector<std::int32_t> renumbered(table.trajectories.size(), -1);
  for (const std::int32_t index : indices) {
    PlannedTrajectory planned = table.trajectories[static_cast<std::size_t>(index)];
    planned.index = static_cast<std::int32_t>(result.trajectories.size());
    renumbered[static_cast<std::size_t>(index)] = planned.index;
    result.trajectories.push_back(std::move(planned));
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::int32_t to = renumbered.at(static_cast<std::size_t>(table.trajectory[row]));
    if (to >= 0) add_row(result, table, row, to);
  }
  return result;
}

}  // namespace

TurnTable select_trajectories(const TurnTable& table,
                              const std::function<bool(const PlannedTrajectory&)>& is_wanted) {
  std::vector<std::int32_t> indices;
  for (const PlannedTrajectory& planned : table.trajectories) {
    if (is_wanted(planned)) indices.push_back(planned.index);
  }
  return take(table, indices);
}

std::vector<TurnTable> select(const std::vector<TurnTable>& tables, const Selection& selection) {
  std::vector<TurnTable> result;
  result.reserve(tables.size());
  for (const TurnTable& table : tables) result.push_back(take(table, chosen(table, selection)));
  return result;
}

}  // namespace ptxbatch
