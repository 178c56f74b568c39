// What an experiment file asks for beyond what a run was begun with. A run may be extended: more
// turns, more replicas, further models, targets, problems and prompt tags. How it is operated may
// be changed: addresses, limits, prices and patience of models, [rank] but for what models are
// told, [reliability], [spending]. Anything else would mix two experiments in one results file and
// is refused with the difference.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

struct ExperimentExtension {
  /// The stored plan with its indices, ids and prompt blocks as they are, and what is new behind
  /// it: indices, ids and blocks count on. (So ids of added trajectories need not be in the order
  /// in which a new run would number them.)
  ExperimentRecord experiment;
  // For people; both are empty when the files differ at most in comments and layout.
  std::vector<std::string> added;
  std::vector<std::string> changed;  // keys: "rank.checkpoint_s", "model 'b'.url"
};

/// `stored` is the run's experiment in its last version, `wanted` what the file says now, its plan
/// numbered as a new run's. kConflict, with the difference, when it is no extension.
Result<ExperimentExtension> extend_experiment(const ExperimentRecord& stored,
                                              const ExperimentRecord& wanted);

}  // namespace ptxbatch
