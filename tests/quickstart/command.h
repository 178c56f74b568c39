// The real `ptxbatch`, started as a user starts it: alone or under mpirun.
#pragma once

#include <string>
#include <vector>

#include "common/process.h"

namespace ptxbatch {

struct CommandEnd {
  int exit_code = -1;  // -1: ended by a signal, or not in time
  std::string output;  // stdout and stderr
};

/// What to start for `ptxbatch ARGUMENTS`.
ProcessSpec ptxbatch_command(const std::vector<std::string>& arguments);

/// What to start for `mpirun -n PROCESSES ptxbatch ARGUMENTS`.
ProcessSpec mpi_command(int processes, const std::vector<std::string>& arguments);

/// Starts it; throws when that fails.
ChildProcess start(const ProcessSpec& command);

/// Waits for the end of what start() began.
CommandEnd finish(ChildProcess& child, double timeout_s = 120);

/// start() and finish().
CommandEnd run(const ProcessSpec& command, double timeout_s = 120);

/// `ptxbatch ARGUMENTS`, without mpirun.
CommandEnd ptxbatch(const std::vector<std::string>& arguments);

/// A file of the source tree, by its path from the top.
std::string source_file(const std::string& path);

}  // namespace ptxbatch
