// What a page of the documentation tells its reader to type, taken from the page itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxbatch {

/// A fenced block: "sh" or "toml" and so on, or no language, which is what a command printed.
struct PageBlock {
  std::string language;
  std::string text;
};

/// Those under this heading ("## Your first experiment"), up to the next heading. `path` is that of
/// the source tree.
std::vector<PageBlock> page_blocks(const std::string& path, const std::string& heading);

/// The first line of `shown`, a block of what was printed, that `printed` does not have behind the
/// lines before it; empty when it has all. "..." stands for lines that are left out, and numbers
/// with a decimal point may differ.
std::string line_not_printed(std::string_view shown, std::string_view printed);

}  // namespace ptxbatch
