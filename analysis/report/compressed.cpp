#include "analysis/report/compressed.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace ptxbatch {
namespace {

std::string compressed(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  // The buffer is large enough, so only memory can be missing.
  if (status != Z_OK) throw std::runtime_error("zlib cannot compress");
  result.resize(size);
  return result;
}

}  // namespace

std::string compressed_base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string data = compressed(bytes);
  std::string text;
  text.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < data.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t byte = at + i;
      group = (group << 8U) | (byte < data.size() ? static_cast<unsigned char>(data[byte]) : 0U);
    }
    const std::size_t used = std::min<std::size_t>(3, data.size() - at);
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= used ? kDigits[(group >> (6 * (3 - i))) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace ptxbatch
