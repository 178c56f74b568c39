// A figure before it is drawn: its numbers as tidy CSV and a complete gnuplot script. The kinds of
// figures (figure_*.h) make these; figure_writer.h draws them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/gnuplot_canvas.h"

namespace ptxbatch {

struct Figure {
  std::string name;  // of its files, without extension
  std::string csv;
  std::string script;
};

/// A figure that does not fit one page becomes several: NAME, NAME_2, NAME_3, ...
inline std::string page_name(const std::string& name, std::size_t page) {
  return page == 0 ? name : name + "_" + std::to_string(page + 1);
}

// Okabe and Ito's palette is safe for colour-blind readers; wherever two of its colours meet they
// are also told apart by dashes, hatching or a letter, so that a grey print can be read.
namespace figure_color {
inline constexpr std::string_view kBlue = "#0072B2";
inline constexpr std::string_view kOrange = "#D55E00";
inline constexpr std::string_view kInk = "#202020";
inline constexpr std::string_view kMuted = "#505050";
inline constexpr std::string_view kAxis = "#404040";
inline constexpr std::string_view kGrid = "#E4E4E4";
}  // namespace figure_color

/// An axis that begins at 0: a top above `most` and a step that gives at most some five ticks.
struct AxisScale {
  double top = 1;
  double step = 0.2;
};
AxisScale axis_scale(double most);

/// Border, grid and tick style that all panels share.
std::string_view panel_style();

}  // namespace ptxbatch
