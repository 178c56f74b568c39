#include "analysis/outcome_drawing.h"

#include "analysis/figure.h"

namespace ptxbatch {

using figure_color::kInk;

double draw_outcome_legend(GnuplotCanvas& canvas, double left, double top, double width,
                           bool no_turn) {
  double x = left;
  double y = top + 10;
  const auto add = [&](std::string_view words, std::string_view letter, std::string_view color,
                       bool dark) {
    const double needed = 30 + 6.6 * static_cast<double>(words.size());
    if (x > left && x + needed > left + width) {
      x = left;
      y += 18;
    }
    canvas.rectangle({x, y - 6, 16, 12}, color, "solid border linecolor rgb '#808080'");
    canvas.text(x + 8, y, letter, {TextAlign::kCenter, 8, dark ? "#FFFFFF" : kInk});
    canvas.text(x + 21, y, words, {TextAlign::kLeft, 11});
    x += needed;
  };
  for (const Outcome& outcome : kOutcomes) {
    add(outcome.name, outcome.letter, outcome.color, outcome.dark);
  }
  if (no_turn) add("no turn taken", "", "#FFFFFF", false);
  return y + 10 - top;
}

std::vector<OutcomeStatistics> at_least_one(std::span<const OutcomeStatistics> statistics) {
  if (!statistics.empty()) return {statistics.begin(), statistics.end()};
  OutcomeStatistics none;
  none.model = "no model";
  none.target = "none";
  none.by_turn.resize(1);
  none.tokens_by_turn.resize(1);
  return {none};
}

std::string panel_name(const OutcomeStatistics& of, double pixels) {
  return fit_text(of.model + ", " + of.target, pixels, 12);
}

}  // namespace ptxbatch
