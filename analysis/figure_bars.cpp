#include "analysis/figure_bars.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/outcomes.h"
#include "analysis/text.h"
#include "common/csv.h"

namespace ptxbatch {
namespace {

using namespace figure_color;  // NOLINT(google-build-using-namespace)

constexpr double kWidth = 720;
constexpr double kNames = 230;
constexpr double kPanelWidth = 470;
constexpr double kBar = 24;
constexpr double kPanelHead = 34;
constexpr double kBelow = 46;
constexpr double kPageHeight = 1000;

// For parts that are no outcomes, in turn; neighbours differ in lightness.
constexpr std::array<Outcome, 6> kPartStyles = {{{"", "", "#12436D", true},
                                                 {"", "", "#A6CDE8", false},
                                                 {"", "", "#C2541B", true},
                                                 {"", "", "#F2D06B", false},
                                                 {"", "", "#6E6E6E", true},
                                                 {"", "", "#CFCFCF", false}}};

template <class Item>
Item& named(std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  if (found != items.end()) return *found;
  items.emplace_back().name = name;
  return items.back();
}

// Of bars with several parts: a single one needs no legend.
std::vector<std::string> part_names(std::span<const BarPanel> panels) {
  std::vector<std::string> names;
  for (const BarPanel& panel : panels) {
    for (const BarPanel::Bar& bar : panel.bars) {
      if (bar.parts.size() < 2) continue;
      for (const BarPanel::Part& part : bar.parts) {
        if (std::find(names.begin(), names.end(), part.name) == names.end()) {
          names.push_back(part.name);
        }
      }
    }
  }
  return names;
}

// Outcomes look as they do in the other figures.
Outcome style_of(const std::string& part, const std::vector<std::string>& parts) {
  if (const auto label = label_from_name(part)) return kOutcomes.at(outcome_of(*label));
  const auto index = std::find(parts.begin(), parts.end(), part) - parts.begin();
  return kPartStyles.at(static_cast<std::size_t>(index) % kPartStyles.size());
}

std::string ratio_text(double value, double first) {
  return value < first ? fmt::format(" ({:.2f}× less)", first / value)
                       : fmt::format(" ({:.2f}×)", value / first);
}

std::string bar_label(const BarPanel& panel, const BarPanel::Bar& bar, bool ratios) {
  const double first = panel.bars.front().sum();
  const double value = bar.sum();
  const bool compared = ratios && &bar != &panel.bars.front() && first > 0 && value > 0;
  return fmt::format("{:.4g}", value) + (compared ? ratio_text(value, first) : "");
}

void draw_bar(GnuplotCanvas& canvas, const BarPanel::Bar& bar, const std::string& label, double y,
              double pixels_per_unit, const std::vector<std::string>& parts) {
  double left = 0;
  for (const BarPanel::Part& part : bar.parts) {
    const Outcome style = style_of(part.name, parts);
    canvas.set(
        fmt::format("set object rectangle from {:.6g},{:.2f} to {:.6g},{:.2f} fillcolor rgb "
                    "'{}' fillstyle solid border linecolor rgb '#FFFFFF'",
                    left, y - 0.36, left + part.value, y + 0.36, style.color));
    const std::string number = fmt::format("{:.4g}", part.value);
    const double room = part.value * pixels_per_unit;
    if (bar.parts.size() > 1 && room > 7 * static_cast<double>(number.size())) {
      canvas.set(
          fmt::format("set label '{}' at {:.6g},{} center font ',9' textcolor rgb '{}' front",
                      number, left + part.value / 2, y, style.dark ? "#FFFFFF" : kInk));
    }
    left += part.value;
  }
  canvas.set(
      fmt::format("set label '{}' at {:.6g},{} left offset character 0.5,0 font ',10' "
                  "textcolor rgb '{}' front",
                  label, left, y, kInk));
}

double panel_height(const BarPanel& panel) {
  return kBar * static_cast<double>(panel.bars.size());
}

double whole_height(const BarPanel& panel) {
  return kPanelHead + panel_height(panel) + kBelow;
}

void draw_panel(GnuplotCanvas& canvas, const BarPanel& panel, const BarFigure& wanted, double top,
                const std::vector<std::string>& parts) {
  double most = 0;
  for (const BarPanel::Bar& bar : panel.bars) most = std::max(most, bar.sum());
  const AxisScale scale = axis_scale(most);
  const double right = scale.top * 1.3;  // room for the numbers
  canvas.text(16, top + 16, fit_text(panel.name, kWidth - 16, 13), {TextAlign::kLeft, 13});
  canvas.set(fmt::format("set xrange [0:{}]\nset yrange [0.5:{}.5]\nset xtics 0,{},{} offset 0,0.3",
                         right, panel.bars.size(), scale.step, scale.top));
  canvas.set("set xlabel " + gnuplot_quoted(panel.unit) + " noenhanced offset 0,0.8");
  for (std::size_t i = 0; i < panel.bars.size(); ++i) {
    const BarPanel::Bar& bar = panel.bars[i];
    canvas.text(kNames - 8, top + kPanelHead + (static_cast<double>(i) + 0.5) * kBar,
                fit_text(bar.name, kNames - 8, 11), {TextAlign::kRight, 11});
    draw_bar(canvas, bar, bar_label(panel, bar, wanted.ratios),
             static_cast<double>(panel.bars.size() - i), kPanelWidth / right, parts);
  }
  canvas.plot({kNames, top + kPanelHead, kPanelWidth, panel_height(panel)}, "NaN");
}

// Where each part's name stands in the legend, in lines from the left.
std::vector<std::pair<double, double>> legend_places(const std::vector<std::string>& parts) {
  std::vector<std::pair<double, double>> places;
  double x = 16;
  double y = 0;
  for (const std::string& part : parts) {
    const double needed = 34 + 6.6 * static_cast<double>(display_width(part));
    if (x > 16 && x + needed > kWidth) {
      x = 16;
      y += 18;
    }
    places.emplace_back(x, y);
    x += needed;
  }
  return places;
}

void draw_legend(GnuplotCanvas& canvas, const std::vector<std::string>& parts, double top) {
  const auto places = legend_places(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [x, y] = places[i];
    canvas.rectangle({x, top + y - 6, 16, 12}, style_of(parts[i], parts).color,
                     "solid border linecolor rgb '#808080'");
    canvas.text(x + 22, top + y, parts[i], {TextAlign::kLeft, 11});
  }
}

std::string draw_page(std::span<const BarPanel> page, const BarFigure& wanted,
                      const std::string& name) {
  const std::vector<std::string> parts = part_names(page);
  const double title_height = wanted.title.empty() ? 6 : 32;
  double top = title_height + (parts.empty() ? 0 : legend_places(parts).back().second + 24);
  double height = top;
  for (const BarPanel& panel : page) height += whole_height(panel);
  GnuplotCanvas canvas(name, "Bars", kWidth, height);
  canvas.text(16, 18, fit_text(wanted.title, kWidth - 16, 14), {TextAlign::kLeft, 15});
  draw_legend(canvas, parts, title_height + 12);
  canvas.set(panel_style());
  canvas.set("set border 3\nset grid xtics noytics\nunset ytics");
  for (const BarPanel& panel : page) {
    draw_panel(canvas, panel, wanted, top, parts);
    top += whole_height(panel);
  }
  return canvas.script();
}

std::string to_csv(std::span<const BarPanel> panels) {
  std::string csv = "panel,unit,bar,part,value\n";
  for (const BarPanel& panel : panels) {
    for (const BarPanel::Bar& bar : panel.bars) {
      for (const BarPanel::Part& part : bar.parts) {
        csv += join_changed(std::vector<std::string>{panel.name, panel.unit, bar.name, part.name},
                            ",", csv_field) +
               fmt::format(",{:.6g}\n", part.value);
      }
    }
  }
  return csv;
}

}  // namespace

double BarPanel::Bar::sum() const {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Part& part) { return sum + part.value; });
}

Result<std::vector<BarPanel>> read_bar_panels(const std::string& path) {
  const auto file = CsvFile::read(path, {"panel", "unit", "bar", "part", "value"});
  if (!file) return fail(file.error());
  std::vector<BarPanel> panels;
  for (std::size_t row = 0; row < file->size(); ++row) {
    const auto value = file->number(row, 4);
    if (!value) return fail(value.error());
    if (!(*value >= 0)) return fail(file->error(row, 4, "must not be negative"));
    BarPanel& panel = named(panels, file->text(row, 0));
    panel.unit = file->text(row, 1);
    named(panel.bars, file->text(row, 2)).parts.push_back({file->text(row, 3), *value});
  }
  return panels;
}

std::vector<Figure> bar_figures(const std::vector<BarPanel>& panels, const BarFigure& wanted) {
  std::vector<BarPanel> all = panels;
  if (all.empty()) all.push_back({"no numbers", "", {{"none", {{"", 0}}}}});
  std::vector<Figure> figures;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t count = 0;
    double height = 0;
    while (first + count < all.size()) {
      height += whole_height(all[first + count]);
      if (count > 0 && height > kPageHeight) break;
      ++count;
    }
    const auto page = std::span<const BarPanel>(all).subspan(first, count);
    const std::string name = page_name(wanted.name, figures.size());
    figures.push_back({name, to_csv(page), draw_page(page, wanted, name)});
    first += count;
  }
  return figures;
}

}  // namespace ptxbatch
