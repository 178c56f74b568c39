// Experiment files: TOML to an Experiment, strictly. docs/experiment_file.md lists every key.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// Reads and checks the file at `path`, the problems that it names included. All mistakes found
/// are returned together, each with file, line and key.
tl::expected<Experiment, std::vector<Error>> read_experiment_file(const std::string& path);

/// The same for a text that came from elsewhere (a message, a results file), with the files that it
/// includes (experiment_bundle.h); relative paths in it are taken from `path`'s folder.
tl::expected<Experiment, std::vector<Error>> parse_experiment(const std::string& text,
                                                              const std::string& path);

}  // namespace ptxbatch
