// Which figures are drawn and of what: read from a file such as experiments/paper/figures.toml, or
// the ones that suit any run.
#pragma once

#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/figure.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// What `ptxbatch figures` draws when no file says otherwise.
std::vector<Figure> standard_figures(const std::vector<TurnTable>& tables, SpeedupKind speedup);

}  // namespace ptxbatch
