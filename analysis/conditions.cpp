#include "analysis/conditions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace ptxbatch {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                       std::string_view>;

Key key_of(const PlannedTrajectory& planned) {
  return {planned.model, planned.target, planned.problem, planned.definition, planned.workload};
}

// Problems of one name get their definition behind it, and the workload where that is not enough.
void tell_problems_apart(std::vector<Condition>& conditions) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> problems;
  for (const Condition& one : conditions) {
    problems[one.problem][one.definition].insert(one.workload);
  }
  for (Condition& one : conditions) {
    const auto& definitions = problems[one.problem];
    const bool by_workload = definitions.at(one.definition).size() > 1;
    one.shares_name = definitions.size() > 1 || by_workload;
    if (!one.shares_name) continue;
    one.problem +=
        " (" + (by_workload ? identity_text(one.definition, one.workload) : one.definition) + ")";
  }
}

// A condition has a handful of prompt tags: a search from the front is the quickest.
std::uint32_t prompt_tag_index(Condition& condition, const std::string& tag) {
  auto& tags = condition.prompt_tags;
  const auto found = std::find(tags.begin(), tags.end(), tag);
  const auto index = static_cast<std::uint32_t>(found - tags.begin());
  if (found == tags.end()) tags.push_back(tag);
  return index;
}

std::size_t row_index(ConditionGrid& grid, const Condition& condition) {
  const auto found = std::find_if(grid.rows.begin(), grid.rows.end(), [&](const auto& row) {
    return row.target == condition.target && row.model == condition.model;
  });
  const auto index = static_cast<std::size_t>(found - grid.rows.begin());
  if (found == grid.rows.end()) grid.rows.push_back({condition.target, condition.model, {}});
  return index;
}

std::size_t problem_index(ConditionGrid& grid, const std::string& problem) {
  const auto found = std::find(grid.problems.begin(), grid.problems.end(), problem);
  const auto index = static_cast<std::size_t>(found - grid.problems.begin());
  if (found == grid.problems.end()) grid.problems.push_back(problem);
  return index;
}

}  // namespace

std::string identity_text(const std::string& definition, const std::string& workload) {
  return definition + ", workload " + workload;
}

Conditions group_trajectories(std::span<const TurnTable> tables) {
  Conditions result;
  std::map<Key, std::uint32_t> known;  // the keys point into `tables`
  for (const TurnTable& table : tables) {
    auto& places = result.places.emplace_back();
    places.reserve(table.trajectories.size());
    for (const PlannedTrajectory& planned : table.trajectories) {
      const auto next = static_cast<std::uint32_t>(result.list.size());
      const auto [entry, is_new] = known.try_emplace(key_of(planned), next);
      if (is_new) {
        result.list.push_back({planned.model,
                               planned.target,
                               planned.problem,
                               {},
                               0,
                               planned.definition,
                               planned.workload,
                               false});
      }
      Condition& condition = result.list[entry->second];
      ++condition.trajectories;
      places.push_back({entry->second, prompt_tag_index(condition, planned.prompt_tag)});
    }
  }
  tell_problems_apart(result.list);
  return result;
}

ConditionGrid arrange(const Conditions& conditions, std::span<const std::uint32_t> which) {
  ConditionGrid grid;
  for (const std::uint32_t number : which) {
    const Condition& condition = conditions.list[number];
    ConditionGrid::Row& row = grid.rows[row_index(grid, condition)];
    const std::size_t column = problem_index(grid, condition.problem);
    row.cells.resize(std::max(row.cells.size(), column + 1));
    row.cells[column] = number;
    grid.several_targets |= condition.target != grid.rows.front().target;
  }
  for (ConditionGrid::Row& row : grid.rows) row.cells.resize(grid.problems.size());
  return grid;
}

}  // namespace ptxbatch
