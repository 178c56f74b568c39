// Text from a candidate's side made fit for logs, records and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptxbatch {

/// Valid UTF-8 without control characters (line feeds and tabs stay), cut to `max_bytes`.
std::string printable_text(std::string_view text, std::size_t max_bytes);

}  // namespace ptxbatch
