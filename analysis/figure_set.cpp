#include "analysis/figure_set.h"

#include <utility>

#include "analysis/counted_blocks.h"
#include "analysis/figure_bars.h"
#include "analysis/figure_fast_p.h"
#include "analysis/figure_reasoning.h"
#include "analysis/figure_transitions.h"
#include "analysis/figure_turns.h"
#include "analysis/outcome_statistics.h"
#include "analysis/panels.h"

namespace ptxbatch {
namespace {

Result<std::vector<Figure>> bars(const FigureSpec& spec) {
  const auto panels = read_bar_panels(spec.data);
  if (!panels) return fail(panels.error());
  return bar_figures(*panels, {spec.name, spec.title, spec.ratios});
}

ScoreFigure score_figure(const FigureSpec& spec, SpeedupKind speedup) {
  ScoreFigure wanted;
  wanted.name = spec.name;
  wanted.title = spec.title;
  wanted.groups = spec.groups;
  if (wanted.groups.empty() && !spec.selection.problems.empty()) {
    wanted.groups.push_back({"", spec.selection.problems});
  }
  wanted.models = spec.selection.models;
  wanted.targets = spec.selection.targets;
  wanted.turns = spec.turns;
  wanted.speedup = speedup;
  return wanted;
}

Result<std::vector<Figure>> figures_of(const FigureSpec& spec, const std::vector<TurnTable>& all,
                                       SpeedupKind speedup) {
  if (spec.kind == FigureKind::kBars) return bars(spec);
  const std::vector<TurnTable> tables = select(all, spec.selection);
  switch (spec.kind) {
    case FigureKind::kScores:
      return score_figures(tables, score_figure(spec, speedup));
    case FigureKind::kTurns:
      return turn_figures(outcome_statistics(tables), spec.name, spec.title);
    case FigureKind::kTransitions:
      return transition_figures(outcome_statistics(tables), spec.name, spec.title);
    case FigureKind::kReasoning:
      return reasoning_figures(outcome_statistics(tables), spec.name, spec.title);
    default:
      return fast_p_figures(with_rows_and_columns(make_panels(tables, speedup), spec.selection),
                            spec.name, spec.title);
  }
}

FigureSpec whole_run(std::string name, FigureKind kind) {
  FigureSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  return spec;
}

}  // namespace

FigureSet standard_figures() {
  return {
      false,
      {whole_run("fast_p", FigureKind::kFastP), whole_run("scores", FigureKind::kScores),
       whole_run("turns", FigureKind::kTurns), whole_run("transitions", FigureKind::kTransitions),
       whole_run("reasoning", FigureKind::kReasoning)}};
}

Result<std::vector<Figure>> make_figures(const FigureSet& set, const std::vector<TurnTable>& tables,
                                         SpeedupKind speedup) {
  const auto counted =
      set.paper_blocks ? with_counted_blocks(tables) : Result<std::vector<TurnTable>>(tables);
  if (!counted) return fail(counted.error());
  std::vector<Figure> figures;
  for (const FigureSpec& spec : set.figures) {
    auto more = figures_of(spec, *counted, speedup);
    if (!more) return fail(more.error());
    for (Figure& figure : *more) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace ptxbatch
