// A gnuplot script, complete in itself, that draws a grid of Fast_p panels.
#pragma once

#include <string>

#include "analysis/panels.h"

namespace ptxbatch {

/// Run as `gnuplot -e "format='pdf'" NAME.gp` (svg without -e) it writes NAME.FORMAT into the
/// working folder. Names in `grid` may hold anything: they are never read as gnuplot commands.
std::string gnuplot_script(const PanelGrid& grid, const std::string& name);

}  // namespace ptxbatch
