// Bars whose numbers come from a CSV file instead of a run: what a training recipe is made of
// (paper, Figure 4), what caching, pipelining and sharing bring (Figure 12, from the benchmarks'
// output).
//
// Columns: panel, unit, bar, part, value. A panel has bars below each other; the parts of a bar are
// stacked; `part` may be empty.
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "common/error.h"

namespace ptxbatch {

struct BarPanel {
  struct Part {
    std::string name;
    double value = 0;
  };
  struct Bar {
    std::string name;
    std::vector<Part> parts;
    [[nodiscard]] double sum() const;
  };
  std::string name;
  std::string unit;
  std::vector<Bar> bars;
};

/// Errors name the file, the line and the column.
Result<std::vector<BarPanel>> read_bar_panels(const std::string& path);

struct BarFigure {
  std::string name;
  std::string title;
  /// Say how many times the first bar of its panel each bar is.
  bool ratios = false;
};

std::vector<Figure> bar_figures(const std::vector<BarPanel>& panels, const BarFigure& wanted);

}  // namespace ptxbatch
