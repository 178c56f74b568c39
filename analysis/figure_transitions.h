// Outcome transitions as an alluvial drawing (paper, Figure 9): for each model a column of stacked
// outcomes for every turn, and ribbons from each outcome to those of the next turn.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/outcome_statistics.h"

namespace ptxbatch {

std::vector<Figure> transition_figures(std::span<const OutcomeStatistics> statistics,
                                       const std::string& name, const std::string& title);

}  // namespace ptxbatch
