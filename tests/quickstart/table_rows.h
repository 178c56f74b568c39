// The correctness table: as `ptxbatch tables --format csv` prints it, and as it follows from what
// the replies were written to be judged as.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "tests/quickstart/expected_turns.h"

namespace ptxbatch {

/// Problem, turn limit, and whether only turns that executed the target instruction count.
using CorrectnessKey = std::tuple<std::string, int, bool>;
/// Percent, rounded to two decimals.
using CorrectnessTable = std::map<CorrectnessKey, double>;

/// From the CSV's rows of metric turn_correctness_pct.
CorrectnessTable printed_correctness(const std::string& csv);

/// Correct turns below each limit, of `trajectories` x limit.
CorrectnessTable expected_correctness(const Judgements& expected, int trajectories,
                                      const std::vector<int>& limits);

}  // namespace ptxbatch
