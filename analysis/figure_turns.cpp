#include "analysis/figure_turns.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/outcome_drawing.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using namespace figure_color;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kColumns = 4;
constexpr std::size_t kPanelsOnPage = 12;
constexpr double kLeft = 62;
constexpr double kGap = 30;
constexpr double kPanelWidth = 190;
constexpr double kTokensHeight = 110;
constexpr double kOutcomesHeight = 150;
constexpr double kName = 30;
constexpr double kBetween = 14;
constexpr double kBelow = 46;
constexpr double kRowHeight = kName + kTokensHeight + kBetween + kOutcomesHeight + kBelow;

double most_tokens(std::span<const OutcomeStatistics> statistics) {
  double most = 0;
  for (const OutcomeStatistics& of : statistics) {
    for (const auto& tokens : of.tokens_by_turn) {
      most = std::max({most, quantile(tokens, 0.75), mean(tokens)});
    }
  }
  return most;
}

void draw_tokens(GnuplotCanvas& canvas, const OutcomeStatistics& of, const std::string& data,
                 const Box& box, bool first) {
  std::string lines;
  for (std::size_t turn = 0; turn < of.by_turn.size(); ++turn) {
    const auto& tokens = of.tokens_by_turn[turn];
    if (tokens.empty()) continue;
    lines += fmt::format("{} {:.6g} {:.6g} {:.6g} {:.6g}\n", turn + 1, mean(tokens) / 1000,
                         quantile(tokens, 0.25) / 1000, quantile(tokens, 0.5) / 1000,
                         quantile(tokens, 0.75) / 1000);
  }
  canvas.set("set format x ''\nunset xlabel\nset grid ytics noxtics");
  canvas.set(first ? "set format y '%g'\nset ylabel 'tokens (thousands)' offset 1,0"
                   : "set format y '%g'\nunset ylabel");
  if (lines.empty()) {
    canvas.set("set label 'no turn' at graph 0.5,0.5 center font ',11'");
    canvas.plot(box, "NaN");
    return;
  }
  canvas.data(data, lines);
  canvas.plot(
      box, fmt::format("${0} using 1:3:5 with filledcurves fillcolor rgb '{1}' fillstyle "
                       "transparent solid 0.2 noborder, ${0} using 1:4 with lines dashtype 1 "
                       "linewidth 2 linecolor rgb '{1}', ${0} using 1:2 with linespoints dashtype "
                       "(4,3) pointtype 7 pointsize 0.45 linewidth 1.4 linecolor rgb '{2}'",
                       data, kBlue, kOrange));
}

// Blocks are rectangles in the coordinates of the panel, so that each can carry its letter.
void draw_stack(GnuplotCanvas& canvas, const OutcomeStatistics& of, std::size_t turn) {
  const auto trajectories = static_cast<double>(std::max<std::int64_t>(of.trajectories, 1));
  double below = 0;
  for (std::size_t state = 0; state < kOutcomes.size(); ++state) {
    const double share = 100 * static_cast<double>(of.by_turn[turn].at(state)) / trajectories;
    if (share == 0) continue;
    const Outcome& outcome = kOutcomes.at(state);
    const auto middle = static_cast<double>(turn + 1);
    canvas.set(
        fmt::format("set object rectangle from {:.3f},{:.4f} to {:.3f},{:.4f} fillcolor rgb "
                    "'{}' fillstyle solid border linecolor rgb '#FFFFFF'",
                    middle - 0.44, below, middle + 0.44, below + share, outcome.color));
    if (share * kOutcomesHeight / 100 >= 9) {
      canvas.set(
          fmt::format("set label '{}' at {},{:.4f} center font ',8' textcolor rgb '{}' front",
                      outcome.letter, middle, below + share / 2, outcome.dark ? "#FFFFFF" : kInk));
    }
    below += share;
  }
}

void draw_outcomes(GnuplotCanvas& canvas, const OutcomeStatistics& of, const Box& box, bool first) {
  canvas.set("set format x '%g'\nset xlabel 'turn' offset 0,0.8\nset grid noxtics noytics");
  canvas.set(first ? "set ylabel 'trajectories (%)' offset 1,0" : "unset ylabel");
  canvas.set("set yrange [0:100]\nset ytics 0,25,100");
  for (std::size_t turn = 0; turn < of.by_turn.size(); ++turn) draw_stack(canvas, of, turn);
  canvas.plot(box, "NaN");
}

std::string draw_page(std::span<const OutcomeStatistics> page, const std::string& name,
                      const std::string& title, double top_tokens) {
  const std::size_t columns = std::min(page.size(), kColumns);
  const std::size_t rows = (page.size() + columns - 1) / columns;
  const double width = std::max(kLeft + static_cast<double>(columns) * (kPanelWidth + kGap), 520.0);
  const double head = title.empty() ? 4 : 30;
  constexpr double kLegend = 66;
  GnuplotCanvas canvas(name, "Reasoning length and outcomes by turn", width,
                       head + kLegend + static_cast<double>(rows) * kRowHeight);
  canvas.text(kLeft, 16, fit_text(title, width - kLeft, 14), {TextAlign::kLeft, 15});
  canvas.line(kLeft, head + 12, kLeft + 26, head + 12,
              "dashtype 1 linewidth 2 linecolor rgb '#0072B2'");
  canvas.text(kLeft + 32, head + 12, "reasoning: median, shaded: middle half");
  canvas.line(kLeft + 320, head + 12, kLeft + 346, head + 12,
              "dashtype (4,3) linewidth 1.4 linecolor rgb '#D55E00'");
  canvas.text(kLeft + 352, head + 12, "mean");
  draw_outcome_legend(canvas, kLeft, head + 24, width - kLeft, false);
  canvas.set(panel_style());
  const AxisScale axis = axis_scale(top_tokens / 1000);
  for (std::size_t i = 0; i < page.size(); ++i) {
    const OutcomeStatistics& of = page[i];
    const std::size_t line = i / columns;
    const double left = kLeft + static_cast<double>(i % columns) * (kPanelWidth + kGap);
    const double top = head + kLegend + static_cast<double>(line) * kRowHeight + kName;
    canvas.text(left, top - 12, panel_name(of, kPanelWidth + kGap), {TextAlign::kLeft, 13});
    canvas.set(
        fmt::format("set xrange [0.4:{}.6]\nset xtics 1,{},{}\nset yrange [0:{}]\nset ytics "
                    "0,{},{}",
                    of.by_turn.size(), 1 + of.by_turn.size() / 12, of.by_turn.size(), axis.top,
                    axis.step, axis.top));
    draw_tokens(canvas, of, fmt::format("tokens_{}", i), {left, top, kPanelWidth, kTokensHeight},
                i % columns == 0);
    draw_outcomes(canvas, of, {left, top + kTokensHeight + kBetween, kPanelWidth, kOutcomesHeight},
                  i % columns == 0);
  }
  return canvas.script();
}

std::string to_csv(std::span<const OutcomeStatistics> statistics) {
  std::string csv =
      "target,model,turn,trajectories,outcome,turns,mean_reasoning_tokens,"
      "reasoning_tokens_q25,reasoning_tokens_median,reasoning_tokens_q75\n";
  for (const OutcomeStatistics& of : statistics) {
    for (std::size_t turn = 0; turn < of.by_turn.size(); ++turn) {
      const auto& tokens = of.tokens_by_turn[turn];
      for (std::size_t state = 0; state < kTurnStates; ++state) {
        csv += fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_field(of.target),
                           csv_field(of.model), turn + 1, of.trajectories,
                           state == kNoTurn ? "no turn" : kOutcomes.at(state).name,
                           of.by_turn[turn].at(state), mean(tokens), quantile(tokens, 0.25),
                           quantile(tokens, 0.5), quantile(tokens, 0.75));
      }
    }
  }
  return csv;
}

}  // namespace

std::vector<Figure> turn_figures(std::span<const OutcomeStatistics> statistics,
                                 const std::string& name, const std::string& title) {
  const std::vector<OutcomeStatistics> all = at_least_one(statistics);
  const double top_tokens = most_tokens(all);
  std::vector<Figure> figures;
  for (std::size_t first = 0; first < all.size(); first += kPanelsOnPage) {
    const auto page = std::span(all).subspan(first, std::min(kPanelsOnPage, all.size() - first));
    const std::string page_is = page_name(name, figures.size());
    figures.push_back({page_is, to_csv(page), draw_page(page, page_is, title, top_tokens)});
  }
  return figures;
}

}  // namespace ptxbatch
