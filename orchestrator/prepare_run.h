// What comes before the first rank is asked: the experiment is read and checked, and its output
// opened.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "orchestrator/run.h"
#include "orchestrator/run_store.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// Where the log goes.
std::string log_path(const RunOptions& options);

/// An experiment that can be run and a store that is open for it.
struct Prepared {
  Experiment experiment;
  std::unique_ptr<RunStore> store;
};

/// Says what is wrong. The exit code when there is nothing to run: an error, or a run that is
/// complete already.
tl::expected<Prepared, int> prepare_run(const RunOptions& options, int working_ranks);

}  // namespace ptxbatch
