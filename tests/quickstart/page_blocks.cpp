#include "tests/quickstart/page_blocks.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "common/file_system.h"
#include "tests/quickstart/command.h"

namespace ptxbatch {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_measurements(const std::string& line) {
  return std::regex_replace(line, std::regex(R"(\d+\.\d+)"), "#");
}

}  // namespace

std::vector<PageBlock> page_blocks(const std::string& path, const std::string& heading) {
  constexpr std::string_view kFence = "```";
  std::vector<PageBlock> blocks;
  bool under_heading = false;
  bool in_block = false;
  for (const std::string& line : lines_of(read_text(source_file(path)).value())) {
    if (line.starts_with(kFence)) {
      in_block = !in_block;
      if (in_block && under_heading) blocks.push_back({line.substr(kFence.size()), ""});
    } else if (in_block) {
      if (under_heading) blocks.back().text += line + "\n";
    } else if (line.starts_with("#")) {
      under_heading = line == heading;
    }
  }
  return blocks;
}

std::string line_not_printed(std::string_view shown, std::string_view printed) {
  const std::vector<std::string> lines = lines_of(printed);
  auto at = lines.begin();
  for (const std::string& line : lines_of(shown)) {
    if (line == "...") continue;
    at = std::find_if(at, lines.end(), [&](const std::string& other) {
      return without_measurements(other) == without_measurements(line);
    });
    if (at == lines.end()) return line;
    ++at;
  }
  return {};
}

}  // namespace ptxbatch
