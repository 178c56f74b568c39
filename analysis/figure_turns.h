// Reasoning length and outcomes by turn (paper, Figure 7): for each model a panel of reasoning
// tokens over the turns (mean, median, middle half) above a panel of stacked outcomes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/outcome_statistics.h"

namespace ptxbatch {

std::vector<Figure> turn_figures(std::span<const OutcomeStatistics> statistics,
                                 const std::string& name, const std::string& title);

}  // namespace ptxbatch
