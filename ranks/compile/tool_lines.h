// The output of a tool line by line while it runs: a disassembly may be hundreds of megabytes long.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

/// Runs argv (argv[0] a path) and gives each line of its stdout to `visit`, without its end. An
/// error when the tool cannot run, ends other than with 0, or takes longer than `timeout_s`; it
/// carries what the tool wrote to stderr.
Status visit_tool_lines(const std::vector<std::string>& argv, double timeout_s,
                        const std::function<void(std::string_view)>& visit);

}  // namespace ptxbatch
