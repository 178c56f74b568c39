// The picture of a grid of Fast_p panels (paper, Figures 2, 3, 10, 13 and 14): a row for each model
// and target, a column for each problem.
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/panels.h"

namespace ptxbatch {

/// One figure, or several pages when there are more rows or columns than a page takes; at least one
/// labelled panel when there is nothing at all. `title` may be empty.
std::vector<Figure> fast_p_figures(const PanelGrid& grid, const std::string& name,
                                   const std::string& title = "");

}  // namespace ptxbatch
