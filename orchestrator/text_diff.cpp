#include "orchestrator/text_diff.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ptxbatch {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// common[i][j]: length of the longest common subsequence of a[i..] and b[j..].
std::vector<std::vector<std::size_t>> common_lengths(const std::vector<std::string>& a,
                                                     const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

}  // namespace

std::string line_diff(const std::string& before, const std::string& after, std::size_t most_lines) {
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  const auto common = common_lengths(a, b);
  std::vector<std::string> changes;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      changes.push_back("- " + a[i++]);
    } else {
      changes.push_back("+ " + b[j++]);
    }
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(changes.size(), most_lines); ++k) text += changes[k] + "\n";
  if (changes.size() > most_lines) {
    text += "... and " + std::to_string(changes.size() - most_lines) + " more lines\n";
  }
  return text;
}

}  // namespace ptxbatch
