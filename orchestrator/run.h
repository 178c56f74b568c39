// `ptxbatch run`: from an experiment file to a results file, as an MPI job or in one process.
#pragma once

#include <string>

namespace ptxbatch {

struct RunOptions {
  std::string experiment_file;
  std::string output;
  std::string log;  // empty: OUTPUT.log
  int ranks = 1;    // working ranks when there is no MPI launcher
};

/// Returns the exit code.
int run_experiment(const RunOptions& options);

}  // namespace ptxbatch
