#include "analysis/figure_scores.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "analysis/score_bars.h"
#include "analysis/score_cells.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using namespace figure_color;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kColumns = 5;
constexpr std::size_t kRowsOnPage = 24;
constexpr std::size_t kLinesOnPage = 3;
constexpr double kNames = 200;
constexpr double kPanelWidth = 150;
constexpr double kGap = 16;
constexpr double kBar = 21;
constexpr double kGroupHead = 26;
constexpr double kPanelHead = 26;
constexpr double kBelow = 46;

constexpr std::string_view kAnyColor = "#A6CDE8";
constexpr std::string_view kInstColor = "#12436D";

/// Problems side by side: those with these indices.
struct Line {
  std::size_t first = 0;
  std::size_t count = 0;
};

// A group that does not fit into the rest of a line begins a new one.
std::vector<Line> make_lines(const std::vector<ScoreSlot>& slots) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::size_t left_of_group = 1;
    while (i + left_of_group < slots.size() && slots[i + left_of_group].group == slots[i].group) {
      ++left_of_group;
    }
    const bool begins = i == 0 || slots[i].group != slots[i - 1].group;
    const bool full = lines.empty() || lines.back().count == kColumns;
    const bool too_long = begins && !full && lines.back().count + left_of_group > kColumns;
    if (full || too_long) lines.push_back({i, 0});
    ++lines.back().count;
  }
  return lines;
}

std::string bar_text(const ScoreBar& bar, ScoreMetric metric) {
  const auto number = [metric](double value) {
    return metric == ScoreMetric::kBestSpeedup ? speedup_text(value) : percent_text(value / 100);
  };
  return number(bar.with_target) + " (" + number(bar.any) + ")";
}

// One scale for all panels of a metric, so that they compare.
AxisScale scale_of(const ScoreContent& content, ScoreMetric metric) {
  double most = 0;
  for (const ScoreRow& row : content.rows) {
    for (const auto& score : row.scores) {
      if (score) most = std::max(most, bar_of(*score, metric).any);
    }
  }
  AxisScale scale = axis_scale(most);
  while (scale.top / scale.step > 3.5) scale = {scale.top, scale.step * 2};  // narrow panels
  return scale;
}

void draw_bar(GnuplotCanvas& canvas, const std::optional<LimitScore>& score, double y,
              ScoreMetric metric, const AxisScale& scale) {
  if (!score) {
    canvas.set(
        fmt::format("set label 'not run' at 0,{} left offset character 0.4,0 font ',9' "
                    "textcolor rgb '#707070' front",
                    y));
    return;
  }
  const ScoreBar bar = bar_of(*score, metric);
  const auto rectangle = [&](double value, double half, std::string_view color) {
    if (value <= 0) return;
    canvas.set(
        fmt::format("set object rectangle from 0,{:.3f} to {:.5g},{:.3f} fillcolor rgb '{}' "
                    "fillstyle solid border linecolor rgb '{}'",
                    y - half, value, y + half, color, kInstColor));
  };
  rectangle(bar.any, 0.34, kAnyColor);
  rectangle(bar.with_target, 0.17, kInstColor);
  // Beyond the axis there is room for the numbers of the longest bar.
  canvas.set(
      fmt::format("set label '{}' at {:.5g},{} left offset character 0.4,0 font ',9' "
                  "textcolor rgb '{}' front",
                  bar_text(bar, metric), std::min(bar.any, scale.top), y, kInk));
}

std::string axis_label(ScoreMetric metric, SpeedupKind speedup) {
  return metric == ScoreMetric::kCorrectness ? "correct turns (%)"
                                             : fmt::format("{} (×)", best_speedup_words(speedup));
}

void draw_panel(GnuplotCanvas& canvas, std::span<const ScoreRow> rows, std::size_t slot,
                ScoreMetric metric, const std::string& label, const AxisScale& scale,
                const Box& box) {
  canvas.set(fmt::format("set xrange [0:{}]\nset yrange [0.5:{}.5]\nset xtics 0,{},{} offset 0,0.3",
                         scale.top * 1.75, rows.size(), scale.step, scale.top));
  canvas.set(fmt::format("set xlabel '{}' offset 0,0.9", label));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_bar(canvas, rows[i].scores[slot], static_cast<double>(rows.size() - i), metric, scale);
  }
  canvas.plot(box, "NaN");
}

void draw_names(GnuplotCanvas& canvas, std::span<const ScoreRow> rows, double top) {
  const bool several = std::any_of(rows.begin(), rows.end(), [&](const ScoreRow& row) {
    return row.target != rows.front().target;
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = several ? rows[i].model + ", " + rows[i].target : rows[i].model;
    canvas.text(kNames - 8, top + (static_cast<double>(i) + 0.5) * kBar,
                fit_text(name, kNames - 8, 11), {TextAlign::kRight, 11});
  }
}

void draw_legend(GnuplotCanvas& canvas, double y, std::int32_t turns) {
  canvas.rectangle({16, y - 6, 22, 12}, kAnyColor, "solid border linecolor rgb '#12436D'");
  canvas.text(44, y, "all correct turns", {TextAlign::kLeft, 11});
  canvas.rectangle({170, y - 3.5, 22, 7}, kInstColor);
  canvas.text(198, y,
              fmt::format("with the target instruction; within {} turns; numbers: with "
                          "instruction (all)",
                          turns),
              {TextAlign::kLeft, 11});
}

// The names of groups above the line, each over its problems.
void draw_groups(GnuplotCanvas& canvas, const ScoreContent& content, const Line& line, double top) {
  for (std::size_t i = 0; i < line.count; ++i) {
    const std::string& group = content.slots[line.first + i].group;
    if (group.empty() || (i > 0 && content.slots[line.first + i - 1].group == group)) continue;
    std::size_t count = 1;
    while (i + count < line.count && content.slots[line.first + i + count].group == group) ++count;
    const double left = kNames + static_cast<double>(i) * (kPanelWidth + kGap);
    const double width = static_cast<double>(count) * (kPanelWidth + kGap) - kGap;
    canvas.text(left, top + 10, fit_text(group, width, 12), {TextAlign::kLeft, 12});
    canvas.line(left, top + 21, left + width, top + 21, "linewidth 1 linecolor rgb '#404040'");
  }
}

bool has_groups(const ScoreContent& content) {
  return std::any_of(content.slots.begin(), content.slots.end(),
                     [](const ScoreSlot& slot) { return !slot.group.empty(); });
}

double line_height(const ScoreContent& content, std::size_t rows) {
  return (has_groups(content) ? kGroupHead : 0) +
         2 * (kPanelHead + kBar * static_cast<double>(rows) + kBelow);
}

// Problems side by side, correctness above and best speedup below.
void draw_line(GnuplotCanvas& canvas, const ScoreContent& content, std::span<const ScoreRow> rows,
               const Line& line, double top) {
  draw_groups(canvas, content, line, top);
  const double height = kBar * static_cast<double>(rows.size());
  double panel_top = top + (has_groups(content) ? kGroupHead : 0) + kPanelHead;
  for (const ScoreMetric metric : {ScoreMetric::kCorrectness, ScoreMetric::kBestSpeedup}) {
    const AxisScale scale = scale_of(content, metric);
    draw_names(canvas, rows, panel_top);
    for (std::size_t i = 0; i < line.count; ++i) {
      const double left = kNames + static_cast<double>(i) * (kPanelWidth + kGap);
      canvas.text(left, panel_top - 11,
                  fit_text(content.slots[line.first + i].problem, kPanelWidth, 11),
                  {TextAlign::kLeft, 11});
      draw_panel(canvas, rows, line.first + i, metric, axis_label(metric, content.speedup), scale,
                 {left, panel_top, kPanelWidth, height});
    }
    panel_top += height + kBelow + kPanelHead;
  }
}

std::string draw_page(const ScoreContent& content, const ScoreFigure& wanted,
                      std::span<const ScoreRow> rows, std::span<const Line> lines,
                      const std::string& name) {
  std::size_t columns = 1;
  for (const Line& line : lines) columns = std::max(columns, line.count);
  const double head = wanted.title.empty() ? 32 : 58;
  const double width =
      std::max(kNames + static_cast<double>(columns) * (kPanelWidth + kGap), 640.0);
  const double height = line_height(content, rows.size());
  GnuplotCanvas canvas(name, "Turn correctness and best speedup", width,
                       head + static_cast<double>(lines.size()) * height + 8);
  canvas.text(16, 18, fit_text(wanted.title, width - 16, 14), {TextAlign::kLeft, 15});
  draw_legend(canvas, head - 16, wanted.turns);
  canvas.set(panel_style());
  canvas.set("set border 3\nset grid xtics noytics\nunset ytics");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    draw_line(canvas, content, rows, lines[i], head + static_cast<double>(i) * height);
  }
  return canvas.script();
}

}  // namespace

std::vector<Figure> score_figures(const std::vector<TurnTable>& tables, const ScoreFigure& wanted) {
  const ScoreContent content = make_score_content(tables, wanted);
  const std::vector<Line> all_lines = make_lines(content.slots);
  std::vector<Figure> figures;
  for (std::size_t row = 0; row < content.rows.size(); row += kRowsOnPage) {
    const auto rows = std::span<const ScoreRow>(content.rows)
                          .subspan(row, std::min(kRowsOnPage, content.rows.size() - row));
    for (std::size_t first = 0; first < all_lines.size(); first += kLinesOnPage) {
      const auto lines = std::span<const Line>(all_lines).subspan(
          first, std::min(kLinesOnPage, all_lines.size() - first));
      const std::size_t slots = lines.back().first + lines.back().count - lines.front().first;
      const std::string name = page_name(wanted.name, figures.size());
      figures.push_back({name, scores_csv(content, lines.front().first, slots, rows, wanted.turns),
                         draw_page(content, wanted, rows, lines, name)});
    }
  }
  return figures;
}

}  // namespace ptxbatch
