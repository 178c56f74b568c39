// The paper's tables from any results files, in the paper's layout and cell format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/score_cells.h"
#include "common/error.h"
#include "results/paper_values.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct PaperTableOptions {
  TableFormat format = TableFormat::kTerminal;
  bool intervals = false;
  std::size_t width = 0;                // terminal columns to stay within; 0: as wide as it needs
  std::vector<std::string> packs = {};  // pack.toml files whose tokens stand in Table 6
};

/// Table `number` of the paper, 1 to 10. Tables 2, 5, 6 and 10 come from `folder` (results/paper)
/// and the packs, the others from the files too. As CSV the latter have the columns of
/// results/paper/cells.csv, with intervals low and high behind them.
Result<std::string> render_paper_table(const std::vector<TurnTable>& tables,
                                       const PaperValues& values, const std::string& folder,
                                       std::int32_t number, const PaperTableOptions& options);

/// Whether a table is made of results files at all.
bool needs_results(const PaperValues& values, std::int32_t number);

}  // namespace ptxbatch
