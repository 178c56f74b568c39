// Philox against its published vectors, and the N(0,1) stream made from it.
#include "ranks/problems/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

// The known-answer vectors published with Random123 (file kat_vectors, "philox4x32 10").
TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<float> normals(std::uint64_t seed, std::int64_t first, std::size_t count) {
  std::vector<float> values(count);
  generate_normal(seed, first, values);
  return values;
}

TEST(NormalStream, IsTheDocumentedFormula) {
  const std::uint64_t seed = 0x123456789abcdef0;
  const std::uint64_t block = 0x500000003;  // beyond 32 bits
  const auto words = philox4x32_10({3, 5, 0, 0}, {0x9abcdef0, 0x12345678});
  const double radius = std::sqrt(-2 * std::log((words[2] + 1.0) / 4294967296.0));
  const double angle = 2 * std::acos(-1.0) * (words[3] / 4294967296.0);
  const auto values = normal_block(seed, block);
  EXPECT_FLOAT_EQ(values[2], static_cast<float>(radius * std::cos(angle)));
  EXPECT_FLOAT_EQ(values[3], static_cast<float>(radius * std::sin(angle)));
  EXPECT_EQ(normals(seed, static_cast<std::int64_t>(4 * block) + 3, 1)[0], values[3]);
}

TEST(NormalStream, IsTheSameInAnyParts) {
  const auto whole = normals(7, 0, 1000);
  for (const std::size_t cut : {1U, 2U, 3U, 4U, 5U, 64U, 997U}) {
    auto parts = normals(7, 0, cut);
    const auto rest = normals(7, static_cast<std::int64_t>(cut), whole.size() - cut);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, whole) << "cut at " << cut;
  }
}

TEST(NormalStream, DiffersByItsSeed) {
  const auto one = normals(1, 0, 256);
  const auto other = normals(2, 0, 256);
  EXPECT_EQ(std::inner_product(one.begin(), one.end(), other.begin(), 0, std::plus<>(),
                               [](float a, float b) { return a == b ? 1 : 0; }),
            0);
}

// A million values: mean within 4.5 standard errors (1e-3), variance within 4.5 (1.4e-3), and the
// share beyond 2 sigma, 0.0455, within 4.5 (2.1e-4). The seed is fixed, so the outcome is too.
TEST(NormalStream, HasMeanZeroVarianceOneAndNormalTails) {
  const auto values = normals(42, 0, 1'000'000);
  double sum = 0;
  double squares = 0;
  double beyond = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    beyond += std::fabs(value) > 2 ? 1 : 0;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 4.5e-3);
  EXPECT_NEAR(squares / count, 1, 6.4e-3);
  EXPECT_NEAR(beyond / count, 0.0455, 9.4e-4);
}

TEST(NormalStream, IsFinite) {
  const auto values = normals(3, 0, 100'000);
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }));
}

}  // namespace
}  // namespace ptxbatch
