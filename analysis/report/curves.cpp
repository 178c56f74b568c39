#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure.h"
#include "analysis/panels.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/score_cells.h"
#include "analysis/table_numbers.h"

namespace ptxbatch {
namespace {

constexpr double kLeft = 34;
constexpr double kTop = 16;
constexpr double kWidth = 226;
constexpr double kHeight = 116;

struct Scale {
  double top = 100;  // percent
  double step = 25;

  [[nodiscard]] double x(double p) const { return kLeft + kWidth * p / kFastPMax; }
  [[nodiscard]] double y(double share) const { return kTop + kHeight * (1 - 100 * share / top); }
};

Scale scale_of(const PanelGrid& grid) {
  double most = 0;
  for (const PanelRow& row : grid.rows) {
    for (const Panel& panel : row.panels) {
      for (const PanelPoint& point : panel.points) {
        most = std::max({most, 100 * point.fast_p.value, 100 * point.fast_p.high});
      }
    }
  }
  const AxisScale axis = axis_scale(most > 0 ? most : 10);
  return {axis.top, axis.step};
}

// Points of a path that fall on the same tenth of a pixel as the one before are left out.
class Path {
 public:
  void to(double x, double y) {
    const std::string point = fmt::format("{:.1f} {:.1f}", x, y);
    if (point == last_) return;
    text_ += (text_.empty() ? "M" : "L") + point;
    last_ = point;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string last_;
};

template <class Value>
std::string step_path(const Panel& panel, const Scale& scale, Value value) {
  Path path;
  for (std::size_t i = 0; i < panel.points.size(); ++i) {
    const double x = scale.x(panel.points[i].p);
    if (i > 0) path.to(x, scale.y(value(panel.points[i - 1])));
    path.to(x, scale.y(value(panel.points[i])));
  }
  return path.text();
}

template <class Band>
std::string band_path(const Panel& panel, const Scale& scale, Band band) {
  Path path;
  const std::size_t count = panel.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = scale.x(panel.points[i].p);
    if (i > 0) path.to(x, scale.y(band(panel.points[i - 1]).high));
    path.to(x, scale.y(band(panel.points[i]).high));
  }
  for (std::size_t i = count; i-- > 0;) {
    const double x = scale.x(panel.points[i].p);
    path.to(x, scale.y(band(panel.points[i]).low));
    if (i > 0) path.to(x, scale.y(band(panel.points[i - 1]).low));
  }
  return path.text() + "Z";
}

std::string axes(const Scale& scale) {
  std::string svg;
  const auto ticks = static_cast<int>(std::lround(std::floor(scale.top / scale.step + 1e-9)));
  for (int i = 0; i <= ticks; ++i) {
    const double value = scale.step * i;
    const double y = scale.y(value / 100);
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"tick\" "
        "x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>",
        kLeft, y, kLeft + kWidth, kLeft - 4, y + 3, value);
  }
  for (int i = 0; i <= 6; ++i) {
    const double p = 0.2 * i;
    svg += fmt::format(
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}"
        "</text>",
        scale.x(p), kTop + kHeight + 12, p);
  }
  return svg + fmt::format(R"(<path class="axis" d="M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}"/>)", kLeft,
                           kTop, kTop + kHeight, kLeft + kWidth);
}

std::string mark(double best, const Scale& scale) {
  const std::string text = fmt::format("best {:.3f}×", best);
  if (best > kFastPMax) {
    return fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"10\" text-anchor=\"end\">{} →</text>",
                       kLeft + kWidth, text);
  }
  const bool left = best > 0.6 * kFastPMax;
  return fmt::format(
      "<path class=\"mark\" d=\"M{0:.1f} 4V{1:.1f}\"/><text class=\"tick\" "
      "x=\"{2:.1f}\" y=\"11\" text-anchor=\"{3}\">{4}</text>",
      scale.x(best), kTop + kHeight, scale.x(best) + (left ? -4 : 4), left ? "end" : "start", text);
}

std::string path_element(std::string_view classes, const std::string& path) {
  return fmt::format(R"(<path class="{}" d="{}"/>)", classes, path);
}

std::string curves(const Panel& panel, const Scale& scale) {
  const auto any = [](const PanelPoint& at) { return at.fast_p; };
  const auto inst = [](const PanelPoint& at) { return at.fast_p_inst; };
  std::string svg;
  if (panel.has_band) {
    svg += path_element("band fast", band_path(panel, scale, any)) +
           path_element("band inst", band_path(panel, scale, inst));
  }
  return svg +
         path_element(
             "curve fast",
             step_path(panel, scale, [&](const PanelPoint& at) { return any(at).value; })) +
         path_element("curve inst", step_path(panel, scale, [&](const PanelPoint& at) {
                        return inst(at).value;
                      }));
}

std::string panel_svg(const Panel& panel, const std::string& problem, const Scale& scale,
                      SpeedupKind speedup) {
  const std::string_view words = words_of(panel);
  const std::string best =
      words.empty() ? fmt::format("{} {:.3f}", best_speedup_words(speedup), panel.best_speedup)
                    : std::string(words);
  std::string svg = fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 270 152\" role=\"img\" "
      "aria-label=\"Fast_p of {0}, {1}\">",
      html_text(problem), best);
  svg += axes(scale) + curves(panel, scale);
  svg += words.empty() ? mark(panel.best_speedup, scale)
                       : fmt::format(
                             "<text class=\"words\" x=\"{:.1f}\" y=\"{:.1f}\" "
                             "text-anchor=\"middle\">{}</text>",
                             kLeft + kWidth / 2, kTop + kHeight / 2, words);
  return svg + "</svg></figure>\n";
}

std::string legend(SpeedupKind speedup) {
  return fmt::format(
      "<p class=\"legend\"><svg viewBox=\"0 0 30 10\"><path class=\"curve fast\" d=\"M0 "
      "5H30\"/></svg> "
      "Fast<sub>p</sub>: share of turns (%) that are correct with a {} above p &ensp; "
      "<svg viewBox=\"0 0 30 10\"><path class=\"curve inst\" d=\"M0 5H30\"/></svg> "
      "Fast<sub>p</sub><sup>Inst</sup>: that also executed the target instruction &ensp; "
      "<svg viewBox=\"0 0 30 10\"><path class=\"mark\" d=\"M0 5H30\"/></svg> {} &ensp; "
      "shaded: range over prompt tags</p>\n",
      pick("speedup", "paired speedup", speedup), best_speedup_words(speedup));
}

}  // namespace

std::string report_curves(const ReportInput& input) {
  const PanelGrid grid = make_panels(input.tables, input.speedup);
  const Scale scale = scale_of(grid);
  std::string html = legend(grid.speedup) + html_notes(device_notes(input.tables));
  for (const PanelRow& row : grid.rows) {
    html += "<h3>" + html_text(row.model) + ", target " + html_text(row.target) +
            "</h3>\n<div class=\"panels\">\n";
    for (std::size_t i = 0; i < row.panels.size(); ++i) {
      if (row.panels[i].planned)
        html += panel_svg(row.panels[i], grid.problems[i], scale, grid.speedup);
    }
    html += "</div>\n";
  }
  return html_section("curves", "Speedup curves", html);
}

}  // namespace ptxbatch
