// A picture for gnuplot, measured in pixels from its top left as one reads; only this file knows
// gnuplot's own coordinates. It gathers a complete script, numbers included, that can be drawn
// again as SVG or PDF. Names may hold anything: they are never read as gnuplot commands.
#pragma once

#include <string>
#include <string_view>

namespace ptxbatch {

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

enum class TextAlign { kLeft, kCenter, kRight };

struct TextStyle {
  TextAlign align = TextAlign::kLeft;
  int size = 12;
  std::string_view color = "#202020";
  bool bold = false;
  int rotate = 0;  // degrees, anticlockwise
  /// The text is ours, with gnuplot's marks for superscripts; else they are shown as they are.
  bool enhanced = false;
};

/// In single quotes gnuplot reads nothing but the doubled quote: neither ` nor $ nor a backslash.
std::string gnuplot_quoted(std::string_view text);

/// As much of the text as fits into so many pixels; letters are taken to be rather wide.
std::string fit_text(std::string_view text, double pixels, int font_size = 12);

class GnuplotCanvas {
 public:
  /// `about`: one line at the top of the script. Running the script writes NAME.svg or NAME.pdf.
  GnuplotCanvas(std::string name, std::string_view about, double width, double height);

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  /// Drawn with the next plot, in pixels of the whole picture.
  void text(double x, double y, std::string_view text, const TextStyle& style = {});
  /// `style` as gnuplot has it after "nohead".
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  /// `fill`: gnuplot's fillstyle, such as "solid noborder".
  void rectangle(const Box& box, std::string_view color, std::string_view fill = "solid noborder");
  /// Any other setting, kept until it is changed.
  void set(std::string_view command);
  /// A block of numbers that plots may name as $NAME.
  void data(std::string_view name, std::string_view lines);
  /// Draws `what` ("$a using 1:2 with lines, ...") into the box, with all text, lines and
  /// rectangles since the last plot, and forgets those.
  void plot(const Box& box, std::string_view what);
  /// Text, lines and rectangles without axes.
  void plot_nothing();

  /// "screen X,Y" of a point of the picture.
  [[nodiscard]] std::string at(double x, double y) const;

  [[nodiscard]] std::string script() const;

 private:
  std::string name_;
  std::string about_;
  double width_;
  double height_;
  std::string data_;
  std::string body_;
};

}  // namespace ptxbatch
