#include "analysis/figure_transitions.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "analysis/outcome_drawing.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using figure_color::kInk;

constexpr std::size_t kPanelsOnPage = 5;
constexpr double kLeft = 30;
constexpr double kWidth = 760;
constexpr double kPanelWidth = kWidth - kLeft - 16;
constexpr double kPanelHeight = 190;
constexpr double kName = 28;
constexpr double kBelow = 34;
constexpr double kRowHeight = kName + kPanelHeight + kBelow;
constexpr double kHalfBlock = 0.11;  // of the distance between turns
constexpr double kBlockGap = 0.015;  // between blocks of a column, of the panel's height

std::string_view color_of(std::size_t state) {
  return state == kNoTurn ? "#FFFFFF" : kOutcomes.at(state).color;
}

// Where each state's block lies in a column, from the bottom; all blocks and gaps fill 0 to 1.
struct Column {
  std::array<double, kTurnStates> bottom{};
  std::array<double, kTurnStates> height{};
};

Column make_column(const StateCounts& counts, std::int64_t trajectories) {
  Column column;
  const double scale = (1 - kBlockGap * static_cast<double>(kTurnStates - 1)) /
                       static_cast<double>(std::max<std::int64_t>(trajectories, 1));
  double at = 0;
  for (std::size_t state = 0; state < kTurnStates; ++state) {
    column.bottom.at(state) = at;
    column.height.at(state) = scale * static_cast<double>(counts.at(state));
    if (counts.at(state) > 0) at += column.height.at(state) + kBlockGap;
  }
  return column;
}

// A ribbon of constant height between two columns, bent so that it leaves and arrives level.
std::string ribbon(double x1, double x2, double from, double to, double height) {
  constexpr int kSteps = 16;
  std::string points;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    const double y = from + (to - from) * t * t * (3 - 2 * t);
    points += fmt::format("{:.4f} {:.5f} {:.5f}\n", x1 + (x2 - x1) * t, y, y + height);
  }
  return points;
}

struct Ribbons {
  std::string data;   // blocks of points, two empty lines between
  std::string plots;  // which block in which colour
  int blocks = 0;
};

void add_ribbons(Ribbons& ribbons, const OutcomeStatistics& of, const std::vector<Column>& columns,
                 std::size_t turn, const std::string& name) {
  const double scale = (1 - kBlockGap * static_cast<double>(kTurnStates - 1)) /
                       static_cast<double>(std::max<std::int64_t>(of.trajectories, 1));
  auto leaves = columns[turn].bottom;
  auto arrives = columns[turn + 1].bottom;
  for (std::size_t from = 0; from < kTurnStates; ++from) {
    for (std::size_t to = 0; to < kTurnStates; ++to) {
      const double height = scale * static_cast<double>(of.flows[turn].at(from).at(to));
      if (height == 0) continue;
      const auto x = static_cast<double>(turn + 1);
      // A trajectory that has ended leaves nothing to look at.
      if (from != kNoTurn && to != kNoTurn) {
        ribbons.data +=
            ribbon(x + kHalfBlock, x + 1 - kHalfBlock, leaves.at(from), arrives.at(to), height) +
            "\n\n";
        ribbons.plots += fmt::format(
            "${} index {} using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle transparent "
            "solid 0.45 border linecolor rgb '{}', \\\n     ",
            name, ribbons.blocks, color_of(from), color_of(from));
        ++ribbons.blocks;
      }
      leaves.at(from) += height;
      arrives.at(to) += height;
    }
  }
}

void draw_blocks(GnuplotCanvas& canvas, const Column& column, std::size_t turn) {
  const auto x = static_cast<double>(turn + 1);
  for (std::size_t state = 0; state < kTurnStates; ++state) {
    const double height = column.height.at(state);
    if (height == 0) continue;
    const double bottom = column.bottom.at(state);
    canvas.set(
        fmt::format("set object rectangle from {:.3f},{:.5f} to {:.3f},{:.5f} fillcolor rgb '{}' "
                    "fillstyle solid border linecolor rgb '{}' front",
                    x - kHalfBlock, bottom, x + kHalfBlock, bottom + height, color_of(state),
                    state == kNoTurn ? "#A0A0A0" : color_of(state)));
    if (height * kPanelHeight < 10 || state == kNoTurn) continue;
    canvas.set(fmt::format("set label '{}' at {},{:.5f} center font ',9' textcolor rgb '{}' front",
                           kOutcomes.at(state).letter, x, bottom + height / 2,
                           kOutcomes.at(state).dark ? "#FFFFFF" : kInk));
  }
}

void draw_panel(GnuplotCanvas& canvas, const OutcomeStatistics& of, const Box& box,
                std::size_t index) {
  const std::size_t turns = of.by_turn.size();
  canvas.text(box.left, box.top - 13,
              panel_name(of, box.width - 120) +
                  fmt::format("  ({} {})", of.trajectories,
                              of.trajectories == 1 ? "trajectory" : "trajectories"),
              {TextAlign::kLeft, 13});
  canvas.set(
      "unset border\nunset ytics\nunset ylabel\nunset grid\nset xtics nomirror scale 0 font "
      "',10' offset 0,0.4");
  canvas.set(
      fmt::format("set xrange [{}:{}]\nset yrange [0:1]\nset xtics 1,1,{}\nset xlabel 'turn' "
                  "offset 0,1",
                  1 - 2 * kHalfBlock, static_cast<double>(turns) + 2 * kHalfBlock, turns));
  std::vector<Column> columns;
  for (const StateCounts& counts : of.by_turn) {
    columns.push_back(make_column(counts, of.trajectories));
  }
  Ribbons ribbons;
  const std::string name = fmt::format("ribbons_{}", index);
  for (std::size_t turn = 0; turn + 1 < turns; ++turn)
    add_ribbons(ribbons, of, columns, turn, name);
  for (std::size_t turn = 0; turn < turns; ++turn) draw_blocks(canvas, columns[turn], turn);
  if (ribbons.blocks > 0) canvas.data(name, ribbons.data);
  canvas.plot(box, ribbons.plots + "NaN notitle");
}

std::string draw_page(std::span<const OutcomeStatistics> page, const std::string& name,
                      const std::string& title) {
  const double head = title.empty() ? 4 : 30;
  constexpr double kLegend = 52;
  GnuplotCanvas canvas(name, "Outcome transitions", kWidth,
                       head + kLegend + static_cast<double>(page.size()) * kRowHeight);
  canvas.text(kLeft, 16, fit_text(title, kWidth - kLeft, 14), {TextAlign::kLeft, 15});
  draw_outcome_legend(canvas, kLeft, head, kWidth - kLeft, true);
  for (std::size_t i = 0; i < page.size(); ++i) {
    const double top = head + kLegend + static_cast<double>(i) * kRowHeight + kName;
    draw_panel(canvas, page[i], {kLeft, top, kPanelWidth, kPanelHeight}, i);
  }
  return canvas.script();
}

std::string_view state_name(std::size_t state) {
  return state == kNoTurn ? "no turn" : kOutcomes.at(state).name;
}

std::string to_csv(std::span<const OutcomeStatistics> statistics) {
  std::string csv = "target,model,turn,outcome,next_outcome,trajectories\n";
  for (const OutcomeStatistics& of : statistics) {
    for (std::size_t turn = 0; turn < of.flows.size(); ++turn) {
      for (std::size_t from = 0; from < kTurnStates; ++from) {
        for (std::size_t to = 0; to < kTurnStates; ++to) {
          const std::int64_t count = of.flows[turn].at(from).at(to);
          if (count == 0) continue;
          csv += fmt::format("{},{},{},{},{},{}\n", csv_field(of.target), csv_field(of.model),
                             turn + 1, state_name(from), state_name(to), count);
        }
      }
    }
  }
  return csv;
}

}  // namespace

std::vector<Figure> transition_figures(std::span<const OutcomeStatistics> statistics,
                                       const std::string& name, const std::string& title) {
  const std::vector<OutcomeStatistics> all = at_least_one(statistics);
  std::vector<Figure> figures;
  for (std::size_t first = 0; first < all.size(); first += kPanelsOnPage) {
    const auto page = std::span(all).subspan(first, std::min(kPanelsOnPage, all.size() - first));
    const std::string page_is = page_name(name, figures.size());
    figures.push_back({page_is, to_csv(page), draw_page(page, page_is, title)});
  }
  return figures;
}

}  // namespace ptxbatch
