// A run that never happened, for tests and benchmarks: the records of as many turns as are asked
// for, the same for the same settings, with the labels as frequent as in the published data.
#pragma once

#include <cstdint>

#include "results/records.h"
#include "results/results_file.h"

namespace ptxbatch {

struct SyntheticRun {
  std::int64_t turns = 96;  // in all; trajectories of 8 turns, unless one reaches the target
  std::uint64_t seed = 1;
  /// With replies, sources, feedback, instructions and timings. Without, a turn is its numbers.
  bool with_texts = true;
};

/// The records in the order in which a coordinator would journal them. May be called again.
RecordSource synthetic_records(const SyntheticRun& run);

/// The experiment of that run, with its plan.
ExperimentRecord synthetic_experiment(const SyntheticRun& run);

}  // namespace ptxbatch
