// The files of a run, by name: NAME.h5, and beside it NAME.h5.journal and NAME.h5.lock.
#pragma once

#include <optional>
#include <string>

#include "common/error.h"

namespace ptxbatch {

std::string journal_path(const std::string& results_path);
std::string lock_path(const std::string& results_path);

/// Why `path` cannot be what a user means by a results file: a folder, or by its name an experiment
/// file or a journal.
std::optional<Error> mistaken_for_results(const std::string& path);

}  // namespace ptxbatch
