// `ptxbatch run`: from an experiment file to a results file, as an MPI job or in one process.
#pragma once

#include <cstdint>
#include <string>

namespace ptxbatch {

struct RunOptions {
  std::string experiment_file;
  std::string output;
  std::string log;  // empty: OUTPUT.log
  int ranks = 1;    // working ranks when there is no MPI launcher
  // In place of the experiment file's; 0: the file's.
  std::int64_t max_tokens = 0;
  double max_cost_usd = 0;
  bool allow_unfit = false;  // go on without ranks that cannot work
};

/// Returns the exit code.
int run_experiment(const RunOptions& options);

}  // namespace ptxbatch
