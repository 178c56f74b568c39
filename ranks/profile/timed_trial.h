// What one measurement of a trial gave, and whether it can be believed.
#pragma once

#include <string>
#include <vector>

#include "ranks/profile/evaluation.h"
#include "ranks/profile/measurement_attempts.h"
#include "ranks/profile/timing.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct TimedTrial {
  std::vector<CallTime> candidate;
  std::vector<CallTime> keeper;
  std::vector<TimingRecord> records;
  std::vector<double> reference_medians_ms;  // a block each
  std::vector<double> speedups;              // of the candidate's calls, paired

  void add_block(int trial, TimingRecord::Side side, const std::vector<CallTime>& calls);
  /// Between the reference's blocks.
  [[nodiscard]] double spread() const { return relative_spread(reference_medians_ms); }
};

/// `honest` are calls of something trusted, as the candidate's were made.
MeasurementAttempts::Finding look_at(const TimedTrial& timed, const std::vector<CallTime>& honest,
                                     const MeasurementRules& rules);

/// For people: how much of each call was not claimed, and how much is usual.
std::string unclaimed_text(const TimedTrial& timed, const std::vector<CallTime>& honest);

/// "1.234 ms"
std::string milliseconds(double seconds);

}  // namespace ptxbatch
