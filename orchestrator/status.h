// `ptxbatch status`: where a run stands, running or dead, read from its files alone.
#pragma once

#include <string>

#include "common/error.h"

namespace ptxbatch {

/// The text to print; an error when there is no such run.
Result<std::string> describe_status(const std::string& results_path);

}  // namespace ptxbatch
