// Which process of a run is which, in the tree below the command that started it.
#pragma once

#include <string>
#include <vector>

#include "tests/quickstart/process_tree.h"

namespace ptxbatch {

std::vector<Process> named(const std::vector<Process>& tree, const std::string& name);

/// Rank 0: the one that holds the lock of RESULTS.h5; empty while nobody does.
std::vector<Process> coordinator(const std::vector<Process>& tree, const std::string& results);

/// The other ranks, once there is a coordinator.
std::vector<Process> working_ranks(const std::vector<Process>& tree, const std::string& results);

/// The compiler drivers that ranks started, while the compiler proper runs below them.
std::vector<Process> compilers(const std::vector<Process>& tree);

}  // namespace ptxbatch
