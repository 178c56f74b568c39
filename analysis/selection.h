// The part of some results that a figure is about: certain models, targets and problems.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/turn_table.h"

namespace ptxbatch {

/// What is wanted; an empty list wants all. Conditions come in the order of the lists.
struct Selection {
  std::vector<std::string> models;
  std::vector<std::string> targets;
  std::vector<std::string> problems;
};

/// The trajectories of a table that are wanted, with their turns, numbered anew.
TurnTable select_trajectories(const TurnTable& table,
                              const std::function<bool(const PlannedTrajectory&)>& is_wanted);

/// The selected trajectories of each table with their turns, numbered anew.
std::vector<TurnTable> select(const std::vector<TurnTable>& tables, const Selection& selection);

}  // namespace ptxbatch
