// The log: plain lines with time and rank, into a file. The terminal shows only warnings, errors
// and the progress line.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace ptxbatch {

/// Sends spdlog's default logger to `path` (appending) with `prefix` ("rank 2") in each line, and
/// warnings to stderr too. Without a path only warnings to stderr. The file is made by the first
/// line.
void start_log(const std::string& path, const std::string& prefix);

}  // namespace ptxbatch
