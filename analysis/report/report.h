// One self-contained HTML page about the runs in some results files: what ran where, tables,
// curves, failures, the devices' health, cost, and every turn's story. It asks nothing of a
// network: style and script are inside (page.css, page.js), and what is shown on demand is
// compressed in the page.
#pragma once

#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/run_records.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct ReportInput {
  std::vector<RunRecords> runs;
  std::vector<TurnTable> tables;  // of the same files, in the same order
  SpeedupKind speedup = SpeedupKind::kPaper;
};

std::string make_report(const ReportInput& input);

}  // namespace ptxbatch
