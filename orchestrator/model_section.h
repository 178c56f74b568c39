// The [[models]] tables of an experiment file.
#pragma once

#include <string>

#include "common/toml_table.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// Reads one table; mistakes go to the table's errors. Relative paths are taken from `file`'s
/// folder.
ModelSpec read_model(TomlTable table, const std::string& file);

/// Where a model is served may be known only once it is: puts the value of url_env, where it is
/// set, in place of url. An error when it is not set and there is no url, or is no address. Not
/// thread-safe: getenv is not.
Status take_url_from_environment(ModelSpec& model);

}  // namespace ptxbatch
