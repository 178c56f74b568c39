// Counter-based random numbers: Philox4x32-10 as published (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A block depends on its counter and key
// alone, so that any part of a tensor can be made anywhere, in any order.
#pragma once

#include <array>
#include <cstdint>

namespace ptxbatch {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

/// Four independent N(0,1) values, elements 4 `block` to 4 `block` + 3 of the stream `seed`.
/// The counter is (block's low half, block's high half, 0, 0), the key (seed's low half, high
/// half). Words (a, b) and (c, d) of the block each give a pair by Box-Muller in double precision:
///   sqrt(-2 ln u) cos(2 pi v), sqrt(-2 ln u) sin(2 pi v),  u = (a + 1) / 2^32, v = b / 2^32.
std::array<float, 4> normal_block(std::uint64_t seed, std::uint64_t block);

}  // namespace ptxbatch
