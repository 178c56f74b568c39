// A line diff for messages: what changed between two versions of an experiment file.
#pragma once

#include <string>

namespace ptxbatch {

/// Lines only in `before` with "- ", lines only in `after` with "+ ", in order, at most
/// `most_lines` of them; unchanged lines are left out. Empty when the texts are equal.
std::string line_diff(const std::string& before, const std::string& after, std::size_t most_lines);

}  // namespace ptxbatch
