// The [[models]] tables of an experiment file.
#pragma once

#include <string>

#include "common/toml_table.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// Reads one table; mistakes go to the table's errors. Relative paths are taken from `file`'s
/// folder.
ModelSpec read_model(TomlTable table, const std::string& file);

}  // namespace ptxbatch
