#include "analysis/figure_set.h"

#include "analysis/figure_fast_p.h"
#include "analysis/figure_turns.h"
#include "analysis/outcome_statistics.h"
#include "analysis/panels.h"

namespace ptxbatch {
namespace {

void append(std::vector<Figure>& to, std::vector<Figure> more) {
  for (Figure& figure : more) to.push_back(std::move(figure));
}

}  // namespace

std::vector<Figure> standard_figures(const std::vector<TurnTable>& tables, SpeedupKind speedup) {
  std::vector<Figure> figures = fast_p_figures(make_panels(tables, speedup), "fast_p");
  const std::vector<OutcomeStatistics> statistics = outcome_statistics(tables);
  append(figures, turn_figures(statistics, "turns", ""));
  return figures;
}

}  // namespace ptxbatch
