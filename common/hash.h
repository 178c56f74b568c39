// SHA-256 as lower-case hexadecimal: the name under which texts, candidates and requests are kept.
#pragma once

#include <string>
#include <string_view>

namespace ptxbatch {

/// 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace ptxbatch
