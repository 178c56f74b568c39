#include "analysis/figure_reasoning.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/outcome_drawing.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using namespace figure_color;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kColumns = 2;
constexpr std::size_t kPanelsOnPage = 10;
constexpr double kNames = 176;  // the outcomes, left of the first column
constexpr double kGap = 24;
constexpr double kPanelWidth = 290;
constexpr double kPanelHeight = 158;
constexpr double kTitle = 30;
constexpr double kBelow = 44;
constexpr double kRowHeight = kTitle + kPanelHeight + kBelow;

// The outcomes from top to bottom.
double row_of(std::size_t outcome) {
  return static_cast<double>(kOutcomes.size() - outcome);
}

double most_tokens(std::span<const OutcomeStatistics> statistics) {
  double most = 0;
  for (const OutcomeStatistics& of : statistics) {
    for (const auto& tokens : of.tokens_by_outcome) most = std::max(most, quantile(tokens, 0.95));
  }
  return most;
}

void draw_box(GnuplotCanvas& canvas, const std::vector<std::int64_t>& tokens, std::size_t outcome,
              double right) {
  const double y = row_of(outcome);
  canvas.set(
      fmt::format("set label '{}' at {},{} right offset character -0.3,0 font ',8' textcolor "
                  "rgb '{}' front",
                  tokens.size(), right, y, kMuted));
  if (tokens.empty()) return;
  const auto at = [&](double share) { return quantile(tokens, share) / 1000; };
  const auto segment = [&](double x1, double y1, double x2, double y2, double width) {
    canvas.set(
        fmt::format("set arrow from {:.5g},{} to {:.5g},{} nohead linewidth {} linecolor rgb "
                    "'{}' front",
                    x1, y1, x2, y2, width, kInk));
  };
  canvas.set(
      fmt::format("set object rectangle from {:.5g},{} to {:.5g},{} fillcolor rgb '{}' "
                  "fillstyle solid border linecolor rgb '{}'",
                  at(0.25), y - 0.3, at(0.75), y + 0.3, kOutcomes.at(outcome).color, kInk));
  segment(at(0.05), y, at(0.25), y, 1);
  segment(at(0.75), y, at(0.95), y, 1);
  segment(at(0.05), y - 0.15, at(0.05), y + 0.15, 1);
  segment(at(0.95), y - 0.15, at(0.95), y + 0.15, 1);
  // White under black stands out on every fill.
  canvas.set(
      fmt::format("set arrow from {0:.5g},{1} to {0:.5g},{2} nohead linewidth 4 linecolor rgb "
                  "'#FFFFFF' front",
                  at(0.5), y - 0.3, y + 0.3));
  segment(at(0.5), y - 0.3, at(0.5), y + 0.3, 1.8);
}

void draw_panel(GnuplotCanvas& canvas, const OutcomeStatistics& of, const Box& box, bool first,
                const AxisScale& axis, std::size_t index) {
  canvas.text(box.left, box.top - 12, panel_name(of, box.width), {TextAlign::kLeft, 13});
  const double right = axis.top * 1.16;
  canvas.set(fmt::format("set xrange [0:{}]\nset yrange [0.4:{}.6]\nset xtics 0,{},{} offset 0,0.3",
                         right, kOutcomes.size(), axis.step, axis.top));
  std::string names;
  std::string means;
  for (std::size_t outcome = 0; outcome < kOutcomes.size(); ++outcome) {
    if (!names.empty()) names += ", ";
    names += fmt::format("'{}' {}", first ? kOutcomes.at(outcome).name : "", row_of(outcome));
    const auto& tokens = of.tokens_by_outcome.at(outcome);
    draw_box(canvas, tokens, outcome, right);
    if (!tokens.empty()) means += fmt::format("{:.6g} {}\n", mean(tokens) / 1000, row_of(outcome));
  }
  canvas.set("set ytics (" + names + ") scale 0");
  canvas.set(
      "set label 'turns' at graph 1,1.0 right offset character -0.3,0.45 font ',8' textcolor "
      "rgb '#505050'");
  if (means.empty()) {
    canvas.plot(box, "NaN");
    return;
  }
  const std::string data = fmt::format("means_{}", index);
  canvas.data(data, means);
  canvas.plot(box,
              fmt::format("${0} using 1:2 with points pointtype 13 pointsize 0.9 linecolor rgb "
                          "'#FFFFFF', ${0} using 1:2 with points pointtype 12 pointsize 0.9 "
                          "linewidth 1.2 linecolor rgb '{1}'",
                          data, kInk));
}

std::string draw_page(std::span<const OutcomeStatistics> page, const std::string& name,
                      const std::string& title, const AxisScale& axis) {
  const std::size_t columns = std::min(page.size(), kColumns);
  const std::size_t rows = (page.size() + columns - 1) / columns;
  const double width = kNames + static_cast<double>(columns) * (kPanelWidth + kGap);
  const double head = title.empty() ? 26 : 52;
  GnuplotCanvas canvas(name, "Reasoning lengths", width,
                       head + static_cast<double>(rows) * kRowHeight);
  canvas.text(16, 16, fit_text(title, width - 16, 14), {TextAlign::kLeft, 15});
  canvas.text(16, head - 12,
              "box: middle half, line: median, diamond: mean, whiskers: 5th to 95th percentile",
              {TextAlign::kLeft, 10});
  canvas.set(panel_style());
  canvas.set(
      "set border 1\nset grid xtics noytics\nset xlabel 'reasoning tokens (thousands)' offset "
      "0,0.8");
  for (std::size_t i = 0; i < page.size(); ++i) {
    const std::size_t line = i / columns;
    const double left = kNames + static_cast<double>(i % columns) * (kPanelWidth + kGap);
    const double top = head + static_cast<double>(line) * kRowHeight + kTitle;
    draw_panel(canvas, page[i], {left, top, kPanelWidth, kPanelHeight}, i % columns == 0, axis, i);
  }
  return canvas.script();
}

std::string to_csv(std::span<const OutcomeStatistics> statistics) {
  std::string csv = "target,model,outcome,turns,mean,p05,q25,median,q75,p95\n";
  for (const OutcomeStatistics& of : statistics) {
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
      const auto& tokens = of.tokens_by_outcome.at(i);
      csv +=
          fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n",
                      csv_field(of.target), csv_field(of.model), kOutcomes.at(i).name,
                      tokens.size(), mean(tokens), quantile(tokens, 0.05), quantile(tokens, 0.25),
                      quantile(tokens, 0.5), quantile(tokens, 0.75), quantile(tokens, 0.95));
    }
  }
  return csv;
}

}  // namespace

std::vector<Figure> reasoning_figures(std::span<const OutcomeStatistics> statistics,
                                      const std::string& name, const std::string& title) {
  const std::vector<OutcomeStatistics> all = at_least_one(statistics);
  const AxisScale axis = axis_scale(most_tokens(all) / 1000);
  std::vector<Figure> figures;
  for (std::size_t first = 0; first < all.size(); first += kPanelsOnPage) {
    const auto page = std::span(all).subspan(first, std::min(kPanelsOnPage, all.size() - first));
    const std::string page_is = page_name(name, figures.size());
    figures.push_back({page_is, to_csv(page), draw_page(page, page_is, title, axis)});
  }
  return figures;
}

}  // namespace ptxbatch
