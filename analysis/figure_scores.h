// Turn correctness and best speedup as bars: models below each other, problems side by side (paper,
// Figures 5, 6 and 8). Problems may stand in named groups, such as trained and held out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/figure.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct ScoreFigure {
  struct Group {
    std::string name;  // empty: without a heading
    std::vector<std::string> problems;
  };
  std::string name;
  std::string title;
  std::vector<Group> groups;  // none: all problems, in plan order
  // Rows that are drawn even where nothing was run; none: those that there are.
  std::vector<std::string> models;
  std::vector<std::string> targets;
  std::int32_t turns = 8;  // turn limit of the numbers
  SpeedupKind speedup = SpeedupKind::kPaper;
};

std::vector<Figure> score_figures(const std::vector<TurnTable>& tables, const ScoreFigure& wanted);

}  // namespace ptxbatch
