// Layout is in pixels from the top left, as one reads; only screen_x and screen_y know gnuplot's
// own coordinates. Curves and marks are told apart by dashes as well as by colour (Okabe and Ito's
// palette, safe for colour-blind readers), so that a grey print can be read too.
#include "analysis/gnuplot_script.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "analysis/text.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kFastColor = "#0072B2";
constexpr std::string_view kInstColor = "#D55E00";
constexpr std::string_view kMarkColor = "#404040";
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

struct Layout {
  double panel_width = 0;
  double panel_height = 0;
  double legend_height = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double row_height() const {
    return kRowTitle + kPanelTitle + panel_height + kTickLabels;
  }
  [[nodiscard]] double panel_left(std::size_t column) const {
    return kLeft + static_cast<double>(column) * (panel_width + kColumnGap);
  }
  [[nodiscard]] double row_top(std::size_t row) const {
    return legend_height + static_cast<double>(row) * row_height();
  }
  [[nodiscard]] double panel_top(std::size_t row) const {
    return row_top(row) + kRowTitle + kPanelTitle;
  }
};

struct LegendEntry {
  std::string_view label;
  double width = 0;       // of sample and label, generous, since fonts differ
  std::string_view line;  // empty for the sample of a band
  double x = 0;           // where it stands, filled in by place_legend
  double y = 0;
};

std::vector<LegendEntry> legend_entries(const PanelGrid& grid) {
  std::vector<LegendEntry> entries = {{"Fast_p, all correct turns", 208, kFastLine},
                                      {"Fast_p^{Inst}, with target instruction", 278, kInstLine},
                                      {"best speedup", 140, kMarkLine}};
  const bool any_band = std::any_of(grid.rows.begin(), grid.rows.end(), [](const PanelRow& row) {
    return std::any_of(row.panels.begin(), row.panels.end(),
                       [](const Panel& panel) { return panel.has_band; });
  });
  if (any_band) entries.push_back({"range over prompt tags", 200, ""});
  return entries;
}

// Fills lines from left to right within `width`; gives back the height of all.
double place_legend(std::vector<LegendEntry>& entries, double width) {
  double x = kLeft;
  double y = 16;
  for (LegendEntry& entry : entries) {
    if (x > kLeft && x + entry.width > width) {
      x = kLeft;
      y += kLegendLine;
    }
    entry.x = x;
    entry.y = y;
    x += entry.width;
  }
  return y + kLegendLine / 2 + 4;
}

Layout make_layout(std::size_t rows, std::size_t columns, std::vector<LegendEntry>& entries) {
  Layout layout;
  layout.panel_width = columns == 1 ? 380 : columns == 2 ? 260 : 178;
  layout.panel_height = std::round(0.3 * layout.panel_width + 86);
  const auto n = static_cast<double>(columns);
  layout.width = kLeft + n * layout.panel_width + (n - 1) * kColumnGap + kRight;
  layout.legend_height = place_legend(entries, layout.width);
  layout.height =
      layout.legend_height + static_cast<double>(rows) * layout.row_height() + kAxisLabel;
  return layout;
}

double screen_x(const Layout& layout, double x) {
  return x / layout.width;
}
double screen_y(const Layout& layout, double y) {
  return 1 - y / layout.height;
}

std::string screen(const Layout& layout, double x, double y) {
  return fmt::format("screen {:.5f},{:.5f}", screen_x(layout, x), screen_y(layout, y));
}

// In single quotes gnuplot reads nothing but the doubled quote: neither ` nor $ nor a backslash.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

// Cut to what fits into so many pixels; letters are taken to be rather wide.
std::string quoted_to_fit(std::string_view text, double pixels, double pixels_per_letter) {
  return quoted(shorten(text, static_cast<std::size_t>(pixels / pixels_per_letter)));
}

struct YAxis {
  double top = 0;
  double step = 0;
  double last_tick = 0;
};

// One scale for all panels, so that they compare; its top fifth is left free for the marks' labels.
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
  constexpr std::array<double, 7> kSteps = {0.5, 1, 2, 5, 10, 20, 25};
  axis.step = kSteps.back();
  for (const double step : kSteps) {
    if (axis.top / step > 5) continue;
    axis.step = step;
    break;
  }
  axis.last_tick = std::min(100.0, std::floor(axis.top / axis.step) * axis.step);
  return axis;
}

void add_corner(std::string& data, double p, const PanelPoint& values) {
  const auto band = [](const BandValue& b) {
    return fmt::format(" {:.6g} {:.6g} {:.6g}", 100 * b.value, 100 * b.low, 100 * b.high);
  };
  data += fmt::format("{:.6g}", p) + band(values.fast_p) + band(values.fast_p_inst) + '\n';
}

std::string data_name(std::size_t row, std::size_t column) {
  return fmt::format("$panel_{}_{}", row, column);
}

// Both corners of every step, since only lines through points can be filled between.
std::string data_block(const Panel& panel, const std::string& name) {
  std::string data = name + " << END\n";
  for (std::size_t i = 0; i < panel.points.size(); ++i) {
    if (i > 0) add_corner(data, panel.points[i].p, panel.points[i - 1]);
    add_corner(data, panel.points[i].p, panel.points[i]);
  }
  return data + "END\n";
}

std::string data_blocks(const PanelGrid& grid) {
  std::string result;
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    for (std::size_t column = 0; column < grid.problems.size(); ++column) {
      const Panel& panel = grid.rows[row].panels[column];
      if (panel.planned) result += data_block(panel, data_name(row, column));
    }
  }
  return result;
}

// The sizes agree: a pixel of the SVG is a point of the PDF.
std::string preamble(const Layout& layout, const std::string& name) {
  return fmt::format(
      "# Fast_p and Fast_p^Inst. To draw: gnuplot -e \"format='pdf'\" {0}.gp (or 'svg')\n"
      "if (!exists('format')) format = 'svg'\n"
      "set encoding utf8\n"
      "if (format eq 'pdf') {{\n"
      "  set terminal pdfcairo size {1:.4f}in,{2:.4f}in font 'sans,12' fontscale 0.8 linewidth 2 "
      "dashlength 1.6 "
      "background 'white'\n"
      "}} else {{\n"
      "  set terminal svg size {3:.0f},{4:.0f} font 'sans-serif,12' background 'white'\n"
      "}}\n"
      "set output {5}.'.'.format\n",
      name, layout.width / 72, layout.height / 72, layout.width, layout.height, quoted(name));
}

std::string axes(const YAxis& axis) {
  return fmt::format(
      "unset key\n"
      "set border 3 linecolor rgb '#404040'\n"
      "set grid xtics ytics linetype 1 linecolor rgb '#E4E4E4' linewidth 0.6\n"
      "set xrange [0:{}]\n"
      "set yrange [0:{:.4f}]\n"
      "set xtics 0,0.2,{} nomirror out scale 0.6 font ',10' offset 0,0.3\n"
      "set ytics 0,{},{} nomirror out scale 0.6 font ',10' offset 0.5,0\n",
      kFastPMax, axis.top, kFastPMax, axis.step, axis.last_tick);
}

// What stands for a band: both colours side by side.
std::string band_sample(const Layout& layout, double x, double y, double width) {
  std::string result;
  const double middle = x + width / 2;
  for (const auto& [from, to, color] :
       {std::tuple{x, middle, kFastColor}, std::tuple{middle, x + width, kInstColor}}) {
    result += fmt::format(
        "set object rectangle from {} to {} fillcolor rgb '{}' "
        "fillstyle transparent solid 0.25 noborder front\n",
        screen(layout, from, y + 6), screen(layout, to, y - 6), color);
  }
  return result;
}

// The legend stands above the panels, where it can cover nothing.
std::string legend(const Layout& layout, const std::vector<LegendEntry>& entries) {
  constexpr double kSample = 28;
  std::string result;
  for (const LegendEntry& entry : entries) {
    result += entry.line.empty()
                  ? band_sample(layout, entry.x, entry.y, kSample)
                  : fmt::format("set arrow from {} to {} nohead {} front\n",
                                screen(layout, entry.x, entry.y),
                                screen(layout, entry.x + kSample, entry.y), entry.line);
    result += fmt::format("set label '{}' at {} left front\n", entry.label,
                          screen(layout, entry.x + kSample + 6, entry.y));
  }
  return result;
}

std::string row_title(const Layout& layout, const PanelRow& row, std::size_t index) {
  return fmt::format("set label {} at {} left noenhanced font ',14'\n",
                     quoted_to_fit(row.model + ", target " + row.target, layout.width - kLeft, 9),
                     screen(layout, kLeft, layout.row_top(index) + kRowTitle / 2));
}

std::string margins(const Layout& layout, std::size_t row, std::size_t column) {
  const double left = layout.panel_left(column);
  const double top = layout.panel_top(row);
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      screen_x(layout, left), screen_x(layout, left + layout.panel_width), screen_y(layout, top),
      screen_y(layout, top + layout.panel_height));
}

// To the right of the mark the curves are zero, so the label goes there; where there is no room it
// goes to the left, in the free top of the panel.
std::string best_mark(double best) {
  const std::string text = fmt::format("best {:.3f}×", best);
  if (best > kFastPMax) {
    return fmt::format("set label '{} →' at graph 0.99,0.94 right font ',10' textcolor rgb '{}'\n",
                       text, kMarkColor);
  }
  const bool left = best > 0.6 * kFastPMax;
  return fmt::format(
      "set arrow from first {0:.5f}, graph 0 to first {0:.5f}, graph 1 nohead {1}\n"
      "set label '{2}' at first {0:.5f}, graph 0.94 {3} offset character {4},0 font ',10' "
      "textcolor rgb '{5}'\n",
      best, kMarkLine, text, left ? "right" : "left", left ? -0.5 : 0.5, kMarkColor);
}

std::string centered_words(std::string_view words) {
  return fmt::format("set label '{}' at graph 0.5,0.5 center font ',11' textcolor rgb '{}'\n",
                     words, kMarkColor);
}

std::string curves(const Panel& panel, const std::string& data) {
  std::string plot = "plot ";
  if (panel.has_band) {
    plot += fmt::format(
        "{0} using 1:3:4 with filledcurves fillcolor rgb '{1}' {2}, \\\n"
        "     {0} using 1:6:7 with filledcurves fillcolor rgb '{3}' {2}, \\\n     ",
        data, kFastColor, kBandFill, kInstColor);
  }
  return plot + fmt::format("{0} using 1:2 with lines {1}, \\\n     {0} using 1:5 with lines {2}\n",
                            data, kFastLine, kInstLine);
}

std::string panel_script(const PanelGrid& grid, const Layout& layout, std::size_t row,
                         std::size_t column) {
  const Panel& panel = grid.rows[row].panels[column];
  std::string result = margins(layout, row, column);
  result += fmt::format("set title {} noenhanced font ',11' offset 0,-0.6\n",
                        quoted_to_fit(grid.problems[column], layout.panel_width, 7));
  result += column == 0 ? "set format y '%g'\nset ylabel 'share of turns (%)' offset 1.2,0\n"
                        : "set format y ''\nunset ylabel\n";
  result += row + 1 == grid.rows.size() ? "set xlabel 'speedup threshold p' offset 0,0.8\n"
                                        : "unset xlabel\n";
  if (!panel.planned) {
    result += centered_words("not in this experiment") + "plot NaN\n";
  } else {
    result +=
        panel.best_speedup > 0 ? best_mark(panel.best_speedup) : centered_words("no correct turn");
    result += curves(panel, data_name(row, column));
  }
  return result + "unset label\nunset arrow\nunset object\n";
}

// Something to look at when there is no trajectory at all.
PanelGrid at_least_one_panel(const PanelGrid& grid) {
  if (!grid.rows.empty()) return grid;
  return {{"no problem"}, {{"no model", "none", {Panel{}}}}};
}

std::string draw_grid(const PanelGrid& grid, const std::string& name) {
  std::vector<LegendEntry> entries = legend_entries(grid);
  const Layout layout = make_layout(grid.rows.size(), grid.problems.size(), entries);
  std::string result = preamble(layout, name) + data_blocks(grid) + "set multiplot\n" +
                       axes(make_y_axis(grid)) + legend(layout, entries);
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    result += row_title(layout, grid.rows[row], row);
    for (std::size_t column = 0; column < grid.problems.size(); ++column) {
      result += panel_script(grid, layout, row, column);
    }
  }
  return result + "unset multiplot\nunset output\n";
}

}  // namespace

std::string gnuplot_script(const PanelGrid& grid, const std::string& name) {
  return draw_grid(at_least_one_panel(grid), name);
}

}  // namespace ptxbatch
