// Layout is in pixels from the top left, as one reads; only screen_x and screen_y know gnuplot's
// own coordinates. Curves and marks are told apart by dashes as well as by colour (Okabe and Ito's
// palette, safe for colour-blind readers), so that a grey print can be read too.
#include "analysis/gnuplot_script.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/text.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kFastColor = "#0072B2";
constexpr std::string_view kInstColor = "#D55E00";
constexpr std::string_view kMarkColor = "#404040";
constexpr std::string_view kFastLine = "dashtype 1 linewidth 2 linecolor rgb '#0072B2'";
constexpr std::string_view kInstLine = "dashtype (6,3) linewidth 2 linecolor rgb '#D55E00'";
constexpr std::string_view kMarkLine = "dashtype (2,2) linewidth 1.2 linecolor rgb '#404040'";
constexpr std::string_view kBandFill = "fillstyle transparent solid 0.18 noborder";

constexpr double kLeft = 58;
constexpr double kRight = 14;
constexpr double kColumnGap = 14;
constexpr double kLegendPitch = 196;  // from one entry to the next
constexpr double kLegendLine = 20;
constexpr double kRowTitle = 26;
constexpr double kPanelTitle = 18;
constexpr double kTickLabels = 22;
constexpr double kAxisLabel = 22;

struct Layout {
  double panel_width = 0;
  double panel_height = 0;
  std::size_t legend_columns = 1;
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

Layout make_layout(std::size_t rows, std::size_t columns, std::size_t legend_entries) {
  Layout layout;
  layout.panel_width = columns == 1 ? 380 : columns == 2 ? 260 : 178;
  layout.panel_height = std::round(0.3 * layout.panel_width + 86);
  const auto n = static_cast<double>(columns);
  layout.width = kLeft + n * layout.panel_width + (n - 1) * kColumnGap + kRight;
  const auto fit = static_cast<std::size_t>((layout.width - kLeft) / kLegendPitch);
  layout.legend_columns = std::clamp<std::size_t>(fit, 1, legend_entries);
  const std::size_t lines = (legend_entries + layout.legend_columns - 1) / layout.legend_columns;
  layout.legend_height = 10 + static_cast<double>(lines) * kLegendLine;
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
      "  set terminal pdfcairo size {1:.4f}in,{2:.4f}in font 'sans,12' fontscale 1 linewidth 1.4 "
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

struct LegendEntry {
  std::string_view label;
  std::string_view line;        // empty for a filled sample
  std::string_view band_color;  // a band behind the line
};

std::vector<LegendEntry> legend_entries(const PanelGrid& grid) {
  std::vector<LegendEntry> entries = {{"Fast_p (all correct turns)", kFastLine, ""},
                                      {"Fast@_p^{Inst} (with target instr.)", kInstLine, ""},
                                      {"best speedup", kMarkLine, ""}};
  const bool any_band = std::any_of(grid.rows.begin(), grid.rows.end(), [](const PanelRow& row) {
    return std::any_of(row.panels.begin(), row.panels.end(),
                       [](const Panel& panel) { return panel.has_band; });
  });
  if (any_band) entries.push_back({"range over prompt tags", "", kFastColor});
  return entries;
}

// The legend stands above the panels, where it can cover nothing.
std::string legend(const Layout& layout, const std::vector<LegendEntry>& entries) {
  constexpr double kSample = 28;
  std::string result;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = kLeft + static_cast<double>(i % layout.legend_columns) * kLegendPitch;
    const double y = 14 + static_cast<double>(i / layout.legend_columns) * kLegendLine;
    if (entries[i].line.empty()) {
      const double middle = x + kSample / 2;
      for (const auto& [from, to, color] :
           {std::tuple{x, middle, kFastColor}, std::tuple{middle, x + kSample, kInstColor}}) {
        result += fmt::format(
            "set object rectangle from {} to {} fillcolor rgb '{}' "
            "fillstyle transparent solid 0.25 noborder front\n",
            screen(layout, from, y + 6), screen(layout, to, y - 6), color);
      }
    } else {
      result += fmt::format("set arrow from {} to {} nohead {} front\n", screen(layout, x, y),
                            screen(layout, x + kSample, y), entries[i].line);
    }
    result += fmt::format("set label '{}' at {} left front\n", entries[i].label,
                          screen(layout, x + kSample + 6, y));
  }
  return result;
}

std::string row_title(const Layout& layout, const PanelRow& row, std::size_t index) {
  return fmt::format("set label {} at {} left noenhanced font ':Bold'\n",
                     quoted(row.model + ", target " + row.target),
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
  result += fmt::format("set title {} noenhanced offset 0,-0.6\n", quoted(grid.problems[column]));
  result += column == 0 ? "set format y '%g'\nset ylabel 'share of turns (%)' offset 1.2,0\n"
                        : "set format y ''\nunset ylabel\n";
  result += row + 1 == grid.rows.size() ? "set xlabel 'speedup threshold p' offset 0,0.4\n"
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

}  // namespace

std::string gnuplot_script(const PanelGrid& panels, const std::string& name) {
  const PanelGrid grid = at_least_one_panel(panels);
  const std::vector<LegendEntry> entries = legend_entries(grid);
  const Layout layout = make_layout(grid.rows.size(), grid.problems.size(), entries.size());
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

}  // namespace ptxbatch
