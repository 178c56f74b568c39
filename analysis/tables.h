// The tables of a run: turn correctness and best speedup in the paper's cell format, pass@T, and
// how many turns ended how. For people on a terminal, in markdown or LaTeX; for programs as CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/score_cells.h"
#include "analysis/sheet.h"
#include "analysis/table_numbers.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct TableOptions {
  TableFormat format = TableFormat::kTerminal;
  std::vector<TableKind> kinds = {TableKind::kCorrectness, TableKind::kBestSpeedup,
                                  TableKind::kPass, TableKind::kOutcomes};
  std::vector<std::int32_t> turns = {1, 4, 8};  // turn limits; cut to what the experiments allow
  SpeedupKind speedup = SpeedupKind::kPaper;
  bool intervals = false;  // each number with its 95 % interval (intervals.h)
  // Above 0: the restriction to the target instruction asks that it covered this share of the
  // problem's operations too (coverage.h).
  double min_coverage = 0;
  std::size_t width = 0;  // terminal columns to stay within; 0: as wide as it needs
};

/// The host's conditions apart from the others', each group in plan order: no table mixes the two.
/// No group is empty.
std::vector<std::vector<std::uint32_t>> comparable_groups(const Conditions& conditions);

/// One table of scores of these conditions, with its notes.
Sheet score_sheet(const TableNumbers& numbers, const std::vector<std::uint32_t>& which,
                  TableKind kind, const TableOptions& options);

/// The tables asked for, of all results files together. Rows are models (and targets when there are
/// several), columns problems; the host target has tables of its own, since its speedups are not
/// comparable with a GPU's. A cell "a / b / c (a / b / c)" has one number for each turn limit:
/// first restricted to turns that executed the target instruction, then, in brackets, of all
/// turns; an en dash is none. With kCsv one header and one number a row:
/// metric,target,model,problem,turns,restriction,label,value (value empty for none); with
/// intervals, low and high behind them.
std::string render_tables(const std::vector<TurnTable>& tables, const TableOptions& options);

}  // namespace ptxbatch
