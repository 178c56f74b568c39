// Table 6: how many tokens each part of a knowledge pack has. The paper's packs as its values have
// them; ours as their pack.toml says, where a real tokenizer's count is kept beside each component.
#pragma once

#include <string>
#include <vector>

#include "analysis/sheet.h"
#include "common/error.h"
#include "results/paper_values.h"

namespace ptxbatch {

/// `csv`: results/paper/pack_tokens.csv. `packs`: pack.toml files.
Result<Sheet> pack_tokens(const std::string& csv, const std::vector<std::string>& packs,
                          const PaperTable& table);

}  // namespace ptxbatch
