// The tables' cells: as `ptxbatch tables --format csv` prints them, and as they follow from what
// the replies were written to be judged as and from the recorded turns.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "results/turn_table.h"
#include "tests/quickstart/expected_turns.h"

namespace ptxbatch {

/// Problem, turn limit, and whether only turns that executed the target instruction count.
using CellKey = std::tuple<std::string, int, bool>;
/// 0 where the cell is empty.
using Cells = std::map<CellKey, double>;

/// From the CSV's rows of this metric.
Cells printed_cells(const std::string& csv, const std::string& metric);

/// Turn correctness in percent: correct turns below each limit, of `trajectories` x limit.
Cells expected_correctness(const Judgements& expected, int trajectories,
                           const std::vector<int>& limits);

/// The greatest speedup of a correct turn below each limit.
Cells expected_best_speedup(const RunRecords& run,
                            const std::vector<PlannedTrajectory>& trajectories,
                            const std::vector<int>& limits);

/// One line a cell that only one of them has, or that differs by more than the CSV's six digits.
std::string differences(const Cells& expected, const Cells& printed);

}  // namespace ptxbatch
