// An experiment file with the files that it includes, as one text: what a run compares, stores and
// sends to its ranks. The file itself stands first, as it is; each included file follows behind a
// line  #:include "PATH"  with its path as the experiment file gives it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct ExperimentBundle {
  std::string text;                             // of the experiment file
  std::map<std::string, std::string> included;  // text by path
};

ExperimentBundle split_bundle(const std::string& bundle);

/// Reads the files at `paths`, relative to `file`'s folder, that the bundle does not hold yet, and
/// returns the bundle with them. The error names the path that cannot be read.
Result<std::string> complete_bundle(const std::string& bundle, const std::string& file,
                                    const std::vector<std::string>& paths);

}  // namespace ptxbatch
