#include "ranks/problems/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

constexpr double kTwoToMinus32 = 1.0 / 4294967296.0;

std::uint32_t low_half(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high_half(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

/// Never infinite: u is at least 2^-32, so that a value is at most 6.7.
std::array<float, 2> box_muller(std::uint32_t a, std::uint32_t b) {
  const double u = (static_cast<double>(a) + 1.0) * kTwoToMinus32;
  const double angle = 2.0 * std::numbers::pi * (static_cast<double>(b) * kTwoToMinus32);
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {static_cast<float>(radius * std::cos(angle)),
          static_cast<float>(radius * std::sin(angle))};
}

}  // namespace

std::array<float, 4> normal_block(std::uint64_t seed, std::uint64_t block) {
  const auto words =
      philox4x32_10({low_half(block), high_half(block), 0, 0}, {low_half(seed), high_half(seed)});
  const auto first = box_muller(words[0], words[1]);
  const auto second = box_muller(words[2], words[3]);
  return {first[0], first[1], second[0], second[1]};
}

void generate_normal(std::uint64_t seed, std::int64_t first_element, std::span<float> values) {
  auto element = static_cast<std::uint64_t>(first_element);
  for (std::size_t done = 0; done < values.size();) {
    const auto block = normal_block(seed, element / 4);
    const auto offset = element % 4;
    const auto count = std::min<std::size_t>(4 - offset, values.size() - done);
    std::copy_n(block.begin() + offset, count, values.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
    element += count;
  }
}

}  // namespace ptxbatch
