// Strings as HDF5 holds them: fixed length, padded with NUL, so a NUL or a bad byte inside needs an
// escape. Ordinary text is stored as it is; NUL becomes FF 30 and FF (never part of UTF-8) FF FF.
#pragma once

#include <string>
#include <string_view>

namespace ptxbatch {

std::string to_stored_string(std::string_view text);
/// `stored` may be padded with NULs.
std::string from_stored_string(std::string_view stored);

}  // namespace ptxbatch
