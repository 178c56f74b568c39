// Errors for the user, on standard error.
#pragma once

#include <vector>

#include "common/error.h"

namespace ptxbatch {

/// Prints the error and returns the exit code of a failed command.
int report(const Error& error);
int report(const std::vector<Error>& errors);

}  // namespace ptxbatch
