// experiments/paper/published.toml: how the published turns become a results file, and which of
// them make which table of the paper. The results file carries this text as its experiment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct PublishedTarget {
  std::string name;    // "hopper", as in the column arch
  std::string device;  // "H100"
  std::string family;  // the letter of its instruction family in target_instruction_tag
};

struct PublishedProblem {
  std::string definition;
  std::string name;  // in tables
};

/// Which prompt blocks count in the paper's tables: of conditions with `run_blocks` blocks.
struct BlockSelection {
  std::int32_t run_blocks = 0;
  std::vector<std::string> problems;
  std::vector<std::int32_t> blocks;
};

/// A row of a table that is made of another model's trajectories, or of some of their blocks.
struct PaperRow {
  std::int32_t table = 0;
  std::string row;
  std::string model;
  std::vector<std::int32_t> blocks;  // none: what the selections say
};

/// Cells that are known to differ from the paper; an empty field stands for any.
struct KnownDifference {
  std::string row;
  std::string device;
  std::string problem;
  std::string restriction;  // "target_instruction", "unrestricted"
  std::string reason;
};

struct PublishedExperiment {
  std::string name;
  std::int32_t turns = 0;
  double target_speedup = 0;
  std::int32_t block_size = 0;
  std::vector<PublishedTarget> targets;
  std::vector<PublishedProblem> problems;
  std::map<std::string, std::string> models;  // by run, where it is not the column's
  std::vector<BlockSelection> selections;
  std::vector<PaperRow> rows;
  std::vector<KnownDifference> differences;
};

/// All mistakes at once, each with line and key of `file`.
tl::expected<PublishedExperiment, std::vector<Error>> parse_published_experiment(
    const std::string& text, const std::string& file);

/// Whether an experiment's text is of this kind; `ptxbatch run` leaves texts of another.
bool is_published_experiment(const std::string& text);

}  // namespace ptxbatch
