#include "analysis/show_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "analysis/text.h"

namespace ptxbatch {

std::string section_rule(std::string_view title, std::size_t width) {
  const std::size_t columns = width == 0 ? 72 : std::min<std::size_t>(width, 100);
  std::string rule = "── " + printable(title) + " ";
  for (std::size_t used = display_width(rule); used < columns; ++used) rule += "─";
  return "\n" + rule + "\n";
}

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t')) {
      line.replace(tab, 1, "    ");
    }
    result += line.empty() ? "\n" : "  " + printable(line) + "\n";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string time_text(double unix_time_s) {
  if (!(unix_time_s > 0)) return {};
  const auto seconds = static_cast<std::time_t>(unix_time_s);
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return {};
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text.data();
}

std::string spark_line(std::span<const double> values) {
  constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double range = *most - *least;
  std::string result;
  for (const double value : values) {
    const double share = range > 0 ? (value - *least) / range : 0;
    result += kBlocks.at(std::min<std::size_t>(7, static_cast<std::size_t>(8 * share)));
  }
  return result;
}

std::string trajectory_title(const PlannedTrajectory& planned) {
  return printable(fmt::format("{} (trajectory {}): {} on {}, {}, prompt '{}', replica {}",
                               planned.id, planned.index, planned.model, planned.target,
                               planned.problem, planned.prompt_tag, planned.replica));
}

std::string times_text(double speedup) {
  return speedup == 0 ? std::string(kNone) : speedup_text(speedup) + "×";
}

}  // namespace ptxbatch
