// The published turns into a results file of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/file_system.h"

namespace ptxbatch {

struct PublishedImport {
  std::string turns;                         // CSV (published_turns.h)
  std::optional<std::string> unknown_turns;  // CSV (unknown_turns.h)
  std::string experiment;                    // TOML (published_experiment.h)
  std::string output;                        // NAME.h5
};

struct ImportSummary {
  std::size_t runs = 0;
  std::size_t trajectories = 0;
  std::size_t turns = 0;
  std::vector<std::string> notes;  // what the files leave open, a sentence each
};

/// On any error the output is not touched.
tl::expected<ImportSummary, std::vector<Error>> import_published(FileSystem& files,
                                                                 const PublishedImport& import);

}  // namespace ptxbatch
