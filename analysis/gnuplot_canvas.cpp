#include "analysis/gnuplot_canvas.h"

#include <spdlog/fmt/fmt.h>

#include <utility>

#include "analysis/text.h"

namespace ptxbatch {
namespace {

std::string_view align_name(TextAlign align) {
  switch (align) {
    case TextAlign::kCenter:
      return "center";
    case TextAlign::kRight:
      return "right";
    default:
      return "left";
  }
}

}  // namespace

std::string gnuplot_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

std::string fit_text(std::string_view text, double pixels, int font_size) {
  const double per_letter = 0.6 * font_size;
  return shorten(text, pixels <= 0 ? 0 : static_cast<std::size_t>(pixels / per_letter));
}

GnuplotCanvas::GnuplotCanvas(std::string name, std::string_view about, double width, double height)
    : name_(std::move(name)), about_(printable(about)), width_(width), height_(height) {}

std::string GnuplotCanvas::at(double x, double y) const {
  return fmt::format("screen {:.5f},{:.5f}", x / width_, 1 - y / height_);
}

void GnuplotCanvas::text(double x, double y, std::string_view text, const TextStyle& style) {
  body_ +=
      fmt::format("set label {} at {} {} {} font '{},{}' textcolor rgb '{}'{} front\n",
                  gnuplot_quoted(text), at(x, y), align_name(style.align),
                  style.enhanced ? "enhanced" : "noenhanced", style.bold ? ":Bold" : "", style.size,
                  style.color, style.rotate == 0 ? "" : fmt::format(" rotate by {}", style.rotate));
}

void GnuplotCanvas::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("set arrow from {} to {} nohead {} front\n", at(x1, y1), at(x2, y2), style);
}

void GnuplotCanvas::rectangle(const Box& box, std::string_view color, std::string_view fill) {
  body_ += fmt::format("set object rectangle from {} to {} fillcolor rgb '{}' fillstyle {} front\n",
                       at(box.left, box.bottom()), at(box.right(), box.top), color, fill);
}

void GnuplotCanvas::set(std::string_view command) {
  body_ += command;
  body_ += '\n';
}

void GnuplotCanvas::data(std::string_view name, std::string_view lines) {
  data_ += fmt::format("${} << END\n{}END\n", name, lines);
}

void GnuplotCanvas::plot(const Box& box, std::string_view what) {
  body_ += fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\nplot {}\n"
      "unset label\nunset arrow\nunset object\n",
      box.left / width_, box.right() / width_, 1 - box.top / height_, 1 - box.bottom() / height_,
      what);
}

void GnuplotCanvas::plot_nothing() {
  set("unset border\nunset tics\nunset xlabel\nunset ylabel\nset xrange [0:1]\nset yrange [0:1]");
  plot({0, 0, width_, height_}, "NaN");
}

// The sizes agree: a pixel of the SVG is a point of the PDF.
std::string GnuplotCanvas::script() const {
  return fmt::format(
             "# {0}. To draw: gnuplot -e \"format='pdf'\" {1}.gp (or 'svg')\n"
             "if (!exists('format')) format = 'svg'\n"
             "set encoding utf8\n"
             "if (format eq 'pdf') {{\n"
             "  set terminal pdfcairo size {2:.4f}in,{3:.4f}in font 'sans,12' fontscale 0.8 "
             "linewidth 2 dashlength 1.6 background 'white'\n"
             "}} else {{\n"
             "  set terminal svg size {4:.0f},{5:.0f} font 'sans-serif,12' background 'white'\n"
             "}}\n"
             "set output {6}.'.'.format\n",
             about_, name_, width_ / 72, height_ / 72, width_, height_, gnuplot_quoted(name_)) +
         data_ + "set multiplot\nunset key\n" + body_ + "unset multiplot\nunset output\n";
}

}  // namespace ptxbatch
