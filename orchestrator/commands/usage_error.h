// A command line that cannot be understood: what is wrong with it, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>

namespace ptxbatch {

/// Prints what the parsing of `app` ended with (help and version too); returns the exit code.
int report_parse_end(const CLI::App& app, const CLI::ParseError& end);

}  // namespace ptxbatch
