// Curves and marks are told apart by dashes as well as by colour, so that a grey print can be read.
#include "analysis/figure_fast_p.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "analysis/score_cells.h"

namespace ptxbatch {
namespace {

using namespace figure_color;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kRowsOnPage = 6;
constexpr std::size_t kColumnsOnPage = 5;

constexpr std::string_view kFastLine = "dashtype 1 linewidth 2 linecolor rgb '#0072B2'";
constexpr std::string_view kInstLine = "dashtype (6,3) linewidth 2 linecolor rgb '#D55E00'";
constexpr std::string_view kMarkLine = "dashtype (4,3) linewidth 1.2 linecolor rgb '#404040'";
constexpr std::string_view kBandFill = "fillstyle transparent solid 0.18 noborder";

constexpr double kLeft = 58;
constexpr double kRight = 14;
constexpr double kColumnGap = 24;
constexpr double kLegendLine = 20;
constexpr double kRowTitle = 28;
constexpr double kPanelTitle = 20;
constexpr double kTickLabels = 36;
constexpr double kAxisLabel = 16;
constexpr double kTitle = 26;

struct LegendEntry {
  std::string_view label;
  double width = 0;       // of sample and label, generous, since fonts differ
  std::string_view line;  // empty for the sample of a band
};

std::vector<LegendEntry> legend_entries(const PanelGrid& grid) {
  std::vector<LegendEntry> entries = {
      {"Fast_p, all correct turns", 208, kFastLine},
      {"Fast_p^{Inst}, with target instruction", 278, kInstLine},
      {best_speedup_words(grid.speedup), grid.speedup == SpeedupKind::kPaired ? 190.0 : 140.0,
       kMarkLine}};
  const bool any_band = std::any_of(grid.rows.begin(), grid.rows.end(), [](const PanelRow& row) {
    return std::any_of(row.panels.begin(), row.panels.end(),
                       [](const Panel& panel) { return panel.has_band; });
  });
  if (any_band) entries.push_back({"range over prompt tags", 200, ""});
  return entries;
}

// Where each entry stands: lines are filled from left to right within `width`.
std::vector<std::pair<double, double>> legend_places(const std::vector<LegendEntry>& entries,
                                                     double top, double width) {
  std::vector<std::pair<double, double>> places;
  double x = kLeft;
  double y = top + 16;
  for (const LegendEntry& entry : entries) {
    if (x > kLeft && x + entry.width > width) {
      x = kLeft;
      y += kLegendLine;
    }
    places.emplace_back(x, y);
    x += entry.width;
  }
  return places;
}

struct Layout {
  double panel_width = 0;
  double panel_height = 0;
  double top = 0;  // of the first row
  double width = 0;
  double height = 0;

  [[nodiscard]] double row_height() const {
    return kRowTitle + kPanelTitle + panel_height + kTickLabels;
  }
  [[nodiscard]] double row_top(std::size_t row) const {
    return top + static_cast<double>(row) * row_height();
  }
  [[nodiscard]] Box panel(std::size_t row, std::size_t column) const {
    return {kLeft + static_cast<double>(column) * (panel_width + kColumnGap),
            row_top(row) + kRowTitle + kPanelTitle, panel_width, panel_height};
  }
};

Layout make_layout(const PanelGrid& grid, double title_height,
                   const std::vector<LegendEntry>& entries) {
  const std::size_t columns = grid.problems.size();
  Layout layout;
  layout.panel_width = columns == 1 ? 380 : columns == 2 ? 260 : 178;
  layout.panel_height = std::round(0.3 * layout.panel_width + 86);
  const auto n = static_cast<double>(columns);
  layout.width = kLeft + n * layout.panel_width + (n - 1) * kColumnGap + kRight;
  layout.top =
      legend_places(entries, title_height, layout.width).back().second + kLegendLine / 2 + 4;
  layout.height = layout.row_top(grid.rows.size()) + kAxisLabel;
  return layout;
}

// One scale for all panels, so that they compare; its top fifth is left free for the marks' labels.
struct YAxis {
  double top = 10;
  double step = 2;
  double last_tick = 10;
};

YAxis make_y_axis(const PanelGrid& grid) {
  double most = 0;
  for (const PanelRow& row : grid.rows) {
    for (const Panel& panel : row.panels) {
      for (const PanelPoint& point : panel.points) {
        most = std::max({most, 100 * point.fast_p.value, 100 * point.fast_p.high});
      }
    }
  }
  YAxis axis;
  axis.top = most > 0 ? most * 1.25 : 10;
  axis.step = axis_scale(axis.top).step;
  axis.last_tick = std::min(100.0, std::floor(axis.top / axis.step) * axis.step);
  return axis;
}

std::string corner(double p, const PanelPoint& values) {
  const auto band = [](const BandValue& b) {
    return fmt::format(" {:.6g} {:.6g} {:.6g}", 100 * b.value, 100 * b.low, 100 * b.high);
  };
  return fmt::format("{:.6g}", p) + band(values.fast_p) + band(values.fast_p_inst) + '\n';
}

// Both corners of every step, since only lines through points can be filled between.
std::string corners(const Panel& panel) {
  std::string data;
  for (std::size_t i = 0; i < panel.points.size(); ++i) {
    if (i > 0) data += corner(panel.points[i].p, panel.points[i - 1]);
    data += corner(panel.points[i].p, panel.points[i]);
  }
  return data;
}

// The legend stands above the panels, where it can cover nothing.
void draw_legend(GnuplotCanvas& canvas, const std::vector<LegendEntry>& entries, double top) {
  constexpr double kSample = 28;
  const auto places = legend_places(entries, top, canvas.width());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [x, y] = places[i];
    if (entries[i].line.empty()) {  // both colours side by side
      canvas.rectangle({x, y - 6, kSample / 2, 12}, kBlue, "transparent solid 0.25 noborder");
      canvas.rectangle({x + kSample / 2, y - 6, kSample / 2, 12}, kOrange,
                       "transparent solid 0.25 noborder");
    } else {
      canvas.line(x, y, x + kSample, y, entries[i].line);
    }
    TextStyle style;
    style.enhanced = true;
    canvas.text(x + kSample + 6, y, entries[i].label, style);
  }
}

// To the right of the mark the curves are zero, so the label goes there; where there is no room it
// goes to the left, in the free top of the panel.
void draw_mark(GnuplotCanvas& canvas, double best) {
  const std::string text = fmt::format("best {:.3f}×", best);
  if (best > kFastPMax) {
    canvas.set(fmt::format(
        "set label '{} →' at graph 0.99,0.94 right font ',10' textcolor rgb '{}'", text, kAxis));
    return;
  }
  const bool left = best > 0.6 * kFastPMax;
  canvas.set(
      fmt::format("set arrow from first {0:.5f}, graph 0 to first {0:.5f}, graph 1 nohead {1}",
                  best, kMarkLine));
  canvas.set(
      fmt::format("set label '{}' at first {:.5f}, graph 0.94 {} offset character {},0 font ',10' "
                  "textcolor rgb '{}'",
                  text, best, left ? "right" : "left", left ? -0.5 : 0.5, kAxis));
}

void draw_words(GnuplotCanvas& canvas, std::string_view words) {
  canvas.set(fmt::format("set label '{}' at graph 0.5,0.5 center font ',11' textcolor rgb '{}'",
                         words, kMuted));
}

std::string curves(const Panel& panel, const std::string& data) {
  std::string plot;
  if (panel.has_band) {
    plot += fmt::format(
        "{0} using 1:3:4 with filledcurves fillcolor rgb '{1}' {2}, \\\n"
        "     {0} using 1:6:7 with filledcurves fillcolor rgb '{3}' {2}, \\\n     ",
        data, kBlue, kBandFill, kOrange);
  }
  return plot + fmt::format("{0} using 1:2 with lines {1}, \\\n     {0} using 1:5 with lines {2}",
                            data, kFastLine, kInstLine);
}

void draw_panel(GnuplotCanvas& canvas, const PanelGrid& grid, const Layout& layout, std::size_t row,
                std::size_t column) {
  const Panel& panel = grid.rows[row].panels[column];
  const Box box = layout.panel(row, column);
  TextStyle style;
  style.align = TextAlign::kCenter;
  style.size = 11;
  canvas.text(box.left + box.width / 2, box.top - 9, fit_text(grid.problems[column], box.width, 11),
              style);
  canvas.set(column == 0 ? "set format y '%g'\nset ylabel 'share of turns (%)' offset 1.2,0"
                         : "set format y ''\nunset ylabel");
  canvas.set(row + 1 == grid.rows.size()
                 ? fmt::format("set xlabel '{} threshold p' offset 0,0.8",
                               pick("speedup", "paired speedup", grid.speedup))
                 : "unset xlabel");
  if (const std::string_view words = words_of(panel); !words.empty()) {
    draw_words(canvas, words);
  } else {
    draw_mark(canvas, panel.best_speedup);
  }
  if (!panel.planned) {
    canvas.plot(box, "NaN");
    return;
  }
  const std::string data = fmt::format("panel_{}_{}", row, column);
  canvas.data(data, corners(panel));
  canvas.plot(box, curves(panel, "$" + data));
}

void draw_axes(GnuplotCanvas& canvas, const YAxis& axis) {
  canvas.set(panel_style());
  canvas.set(
      fmt::format("set xrange [0:{0}]\nset yrange [0:{1:.4f}]\n"
                  "set xtics 0,0.2,{0} offset 0,0.3\nset ytics 0,{2},{3} offset 0.5,0",
                  kFastPMax, axis.top, axis.step, axis.last_tick));
}

std::string draw_page(const PanelGrid& grid, const std::string& name, const std::string& title,
                      const YAxis& axis) {
  const std::vector<LegendEntry> entries = legend_entries(grid);
  const double title_height = title.empty() ? 0 : kTitle;
  const Layout layout = make_layout(grid, title_height, entries);
  GnuplotCanvas canvas(name, "Fast_p and Fast_p^Inst", layout.width, layout.height);
  if (!title.empty()) {
    canvas.text(kLeft, 18, fit_text(title, layout.width - kLeft, 14), {TextAlign::kLeft, 15});
  }
  draw_axes(canvas, axis);
  draw_legend(canvas, entries, title_height);
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    const std::string row_title = grid.rows[row].model + ", target " + grid.rows[row].target;
    canvas.text(kLeft, layout.row_top(row) + kRowTitle / 2,
                fit_text(row_title, layout.width - kLeft, 14), {TextAlign::kLeft, 14});
    for (std::size_t column = 0; column < grid.problems.size(); ++column) {
      draw_panel(canvas, grid, layout, row, column);
    }
  }
  return canvas.script();
}

// Something to look at when there is no trajectory at all.
PanelGrid at_least_one_panel(const PanelGrid& grid) {
  if (!grid.rows.empty()) return grid;
  return {{"no problem"}, {{"no model", "none", {Panel{}}}}, grid.speedup};
}

PanelGrid cut(const PanelGrid& grid, std::size_t row, std::size_t column) {
  const auto slice = [](const auto& all, std::size_t first, std::size_t most) {
    using Items = std::decay_t<decltype(all)>;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return Items(begin, begin + static_cast<std::ptrdiff_t>(std::min(most, all.size() - first)));
  };
  PanelGrid page;
  page.speedup = grid.speedup;
  page.problems = slice(grid.problems, column, kColumnsOnPage);
  for (const PanelRow& full : slice(grid.rows, row, kRowsOnPage)) {
    page.rows.push_back({full.model, full.target, slice(full.panels, column, kColumnsOnPage)});
  }
  return page;
}

}  // namespace

std::vector<Figure> fast_p_figures(const PanelGrid& grid, const std::string& name,
                                   const std::string& title) {
  const PanelGrid drawn = at_least_one_panel(grid);
  const YAxis axis = make_y_axis(drawn);
  std::vector<Figure> figures;
  for (std::size_t row = 0; row < drawn.rows.size(); row += kRowsOnPage) {
    for (std::size_t column = 0; column < drawn.problems.size(); column += kColumnsOnPage) {
      const PanelGrid page = cut(drawn, row, column);
      const std::string page_is = page_name(name, figures.size());
      figures.push_back({page_is, panels_csv(page), draw_page(page, page_is, title, axis)});
    }
  }
  return figures;
}

}  // namespace ptxbatch
