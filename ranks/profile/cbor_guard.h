// A look at received bytes before a CBOR parser sees them. The parser recurses for each level of
// nesting, so a hostile message of nothing but nested arrays could exhaust the rank's stack.
#pragma once

#include <string_view>

namespace ptxbatch {

/// True when `bytes` are one CBOR item of definite lengths, without tags, at most `max_depth` deep.
bool is_plain_cbor(std::string_view bytes, int max_depth);

}  // namespace ptxbatch
