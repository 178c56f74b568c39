// Which trajectories belong together: a condition is a model on a target with a problem, and what
// tables and figures show is always a number for a condition. Several results files may be pooled:
// equal conditions of different files become one. A problem is its definition and workload; its
// name in tables is free, so that two files may mean different problems by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/turn_table.h"

namespace ptxbatch {

struct Condition {
  std::string model;
  std::string target;
  std::string problem;
  std::vector<std::string> prompt_tags;  // in plan order
  std::int64_t trajectories = 0;         // planned, whether they have begun or not
  std::string definition;
  std::string workload;
  // The plans call another problem by the same name; `problem` then tells them apart.
  bool shares_name = false;
};

/// "gemm_n7168_k5120, workload 94920358-…".
std::string identity_text(const std::string& definition, const std::string& workload);

/// The conditions of some tables, and the way from a trajectory to its condition.
struct Conditions {
  struct Place {
    std::uint32_t condition = 0;   // in `list`
    std::uint32_t prompt_tag = 0;  // in that condition's prompt_tags
  };
  std::vector<Condition> list;             // in the order in which the plans name them
  std::vector<std::vector<Place>> places;  // [table][trajectory index]
};

/// Everything below takes these Conditions together with the tables they were made from.
Conditions group_trajectories(std::span<const TurnTable> tables);

/// Conditions laid out as tables and figures show them.
struct ConditionGrid {
  struct Row {
    std::string target;
    std::string model;
    std::vector<std::optional<std::uint32_t>>
        cells;  // a condition for each problem, if there is one
  };
  std::vector<Row> rows;
  std::vector<std::string> problems;  // the columns
  bool several_targets = false;
};

/// Lays out the conditions with these numbers, in their order.
ConditionGrid arrange(const Conditions& conditions, std::span<const std::uint32_t> which);

/// Calls visit(place, table, row) for every recorded turn of every table, in stored order. A turn
/// of a trajectory that the plan does not have is misuse: std::out_of_range.
template <class Visit>
void for_each_turn(std::span<const TurnTable> tables, const Conditions& conditions, Visit visit) {
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TurnTable& table = tables[t];
    const std::vector<Conditions::Place>& places = conditions.places[t];
    for (std::size_t row = 0; row < table.size(); ++row) {
      visit(places.at(static_cast<std::size_t>(table.trajectory[row])), table, row);
    }
  }
}

/// Whose speedup: the paper's (medians, cached reference) or that from alternating blocks.
enum class SpeedupKind { kPaper, kPaired };

inline const std::vector<double>& speedup_column(const TurnTable& table, SpeedupKind kind) {
  return kind == SpeedupKind::kPaired ? table.paired_speedup : table.speedup;
}

}  // namespace ptxbatch
