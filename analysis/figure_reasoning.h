// Reasoning lengths (paper, Figure 15): for each model how many tokens it reasoned in turns of each
// outcome, as boxes (middle half, median, mean) with whiskers to the 5th and 95th percentile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/outcome_statistics.h"

namespace ptxbatch {

std::vector<Figure> reasoning_figures(std::span<const OutcomeStatistics> statistics,
                                      const std::string& name, const std::string& title);

}  // namespace ptxbatch
