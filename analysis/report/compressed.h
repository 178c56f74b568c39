// Data for the page's script, compressed: zlib's format, which browsers call "deflate", in base64.
#pragma once

#include <string>
#include <string_view>

namespace ptxbatch {

std::string compressed_base64(std::string_view bytes);

}  // namespace ptxbatch
