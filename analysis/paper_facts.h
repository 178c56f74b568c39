// The paper's tables that are no results of turns: release dates (2), instruction families (5),
// the knowledge packs' tokens (6, pack_tokens.h) and recipes (10), from files in results/paper.
#pragma once

#include <string>
#include <vector>

#include "analysis/sheet.h"
#include "common/error.h"
#include "results/paper_values.h"

namespace ptxbatch {

/// `packs`: pack.toml files that stand in Table 6 beside the paper's packs.
Result<Sheet> paper_facts(const std::string& folder, const std::vector<std::string>& packs,
                          const PaperTable& table);

/// Months from one "2022-12" to another; negative when the second is earlier.
Result<int> months_between(const std::string& from, const std::string& to);

}  // namespace ptxbatch
