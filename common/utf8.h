// UTF-8 as RFC 3629 has it. Text from outside may hold anything: these say whether it is UTF-8, and
// make it so.
#pragma once

#include <string>
#include <string_view>

namespace ptxbatch {

/// Length of the UTF-8 sequence at `text[at]`, 0 when it is not one.
std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

/// `text` with every byte that is no part of a sequence replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// At most the first `most_bytes` of `text`, without half a sequence at the end.
std::string_view utf8_prefix(std::string_view text, std::size_t most_bytes);

}  // namespace ptxbatch
