#include "analysis/figure.h"

#include <cmath>

namespace ptxbatch {

AxisScale axis_scale(double most) {
  if (!(most > 0)) return {};
  const double magnitude = std::pow(10, std::floor(std::log10(most / 5)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (most / (factor * magnitude) > 5) continue;
    step = factor * magnitude;
    break;
  }
  return {std::ceil(most / step - 1e-9) * step, step};
}

std::string_view panel_style() {
  return "set border 3 linecolor rgb '#404040'\n"
         "set grid xtics ytics linetype 1 linecolor rgb '#E4E4E4' linewidth 0.6\n"
         "set tics nomirror out scale 0.6 font ',10'";
}

}  // namespace ptxbatch
