// What the figures of outcomes share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/gnuplot_canvas.h"
#include "analysis/outcome_statistics.h"

namespace ptxbatch {

/// Colour and letter of each outcome, in lines of `width` pixels from (left, top) on; gives back
/// how high it is. With `no_turn` a white sample stands for turns that were not taken.
double draw_outcome_legend(GnuplotCanvas& canvas, double left, double top, double width,
                           bool no_turn);

/// Something to draw when there is no trajectory at all.
std::vector<OutcomeStatistics> at_least_one(std::span<const OutcomeStatistics> statistics);

/// "model, target", shortened to `pixels`.
std::string panel_name(const OutcomeStatistics& of, double pixels);

}  // namespace ptxbatch
