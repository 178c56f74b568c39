// SHA-256 as lower-case hexadecimal: the name under which texts, candidates and requests are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxbatch {

/// 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// Half of a SHA-256: enough to tell texts or records apart, in 16 bytes.
struct HalfHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const HalfHash&) const = default;
};
HalfHash half_of(std::string_view sha256_hex);

/// For unordered containers.
struct HalfHashBucket {
  std::size_t operator()(const HalfHash& hash) const { return hash.high; }
};

}  // namespace ptxbatch
