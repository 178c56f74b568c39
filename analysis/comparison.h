// Two results files against each other: every number that both have, the difference, and whether it
// is more than chance. Numbers measured on different devices or judged or timed in different ways
// are not compared unless that is asked for, and then it is said.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/intervals.h"
#include "analysis/score_cells.h"
#include "common/error.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct ComparisonOptions {
  std::vector<std::int32_t> turns = {1, 4, 8};  // turn limits; cut to what the experiments allow
  SpeedupKind speedup = SpeedupKind::kPaper;
  bool across_devices = false;  // compare although the devices differ
  bool across_timing = false;   // compare although the speedups were measured differently
  bool across_judging = false;  // compare although turns were judged differently
};

/// One number of both files.
struct ComparedNumber {
  TableKind kind = TableKind::kCorrectness;
  std::string target;
  std::string model;
  std::string problem;
  std::int32_t turns = 0;
  bool with_target = false;
  double first = 0;  // a share, or a speedup
  double second = 0;
  Difference change;  // second - first
};

/// What is compared, in the order in which it is shown.
inline constexpr std::array kComparedKinds = {TableKind::kCorrectness, TableKind::kBestSpeedup};

struct Comparison {
  SpeedupKind speedup = SpeedupKind::kPaper;
  std::vector<ComparedNumber> numbers;
  std::vector<std::string> notes;  // what differs otherwise; what only one of the files has
};

/// kInput when the files have no condition in common or one has no turns, kConflict when they may
/// not be compared.
Result<Comparison> compare(const TurnTable& first, const TurnTable& second,
                           const ComparisonOptions& options);

/// `first` and `second`: what the files are called.
std::string render_comparison(const Comparison& comparison, const std::string& first,
                              const std::string& second, TableFormat format, std::size_t width);

}  // namespace ptxbatch
