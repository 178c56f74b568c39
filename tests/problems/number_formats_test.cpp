// float16 and bfloat16, over all their 65,536 values: widening, and rounding to nearest even.
#include "ranks/problems/number_formats.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ptxbatch {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// From the definition of the format: sign, exponent, fraction.
double value_of(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

struct HalfFormat {
  const char* name;
  int exponent_bits;
  std::uint16_t infinity;
  float (*widen)(std::uint16_t);
  std::uint16_t (*round)(float);
};

void PrintTo(const HalfFormat& format, std::ostream* stream) {
  *stream << format.name;
}

class SixteenBits : public testing::TestWithParam<HalfFormat> {};

TEST_P(SixteenBits, WidenToTheValueThatTheFormatDefines) {
  const auto& format = GetParam();
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = format.widen(bits);
    const auto magnitude = bits & 0x7fff;
    if (magnitude > format.infinity) {
      ASSERT_TRUE(std::isnan(value)) << i;
    } else if (magnitude == format.infinity) {
      ASSERT_EQ(value, (bits & 0x8000) != 0 ? -kInfinity : kInfinity);
    } else {
      ASSERT_EQ(value, value_of(bits, format.exponent_bits)) << i;
      ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0);
    }
  }
}

TEST_P(SixteenBits, SurviveWideningAndRounding) {
  const auto& format = GetParam();
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = format.widen(bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(format.widen(format.round(value)))) << i;
    } else {
      ASSERT_EQ(format.round(value), bits);
    }
  }
}

TEST_P(SixteenBits, RoundToNearestAndTiesToEven) {
  const auto& format = GetParam();
  for (std::uint32_t i = 0; i + 1 < format.infinity; ++i) {
    const auto lower = static_cast<std::uint16_t>(i);
    const auto upper = static_cast<std::uint16_t>(i + 1);
    const auto even = (lower & 1U) == 0 ? lower : upper;
    const float middle = format.widen(lower) / 2 + format.widen(upper) / 2;
    ASSERT_EQ(format.round(std::nextafter(middle, -kInfinity)), lower) << i;
    ASSERT_EQ(format.round(middle), even) << i;
    ASSERT_EQ(format.round(std::nextafter(middle, kInfinity)), upper) << i;
    ASSERT_EQ(format.round(-middle), even | 0x8000) << i;
  }
}

TEST_P(SixteenBits, TooLargeBecomesInfinite) {
  const auto& format = GetParam();
  EXPECT_EQ(format.round(std::numeric_limits<float>::max()), format.infinity);
  EXPECT_EQ(format.round(-kInfinity), format.infinity | 0x8000);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SixteenBits,
    testing::Values(HalfFormat{"float16", 5, 0x7c00, float16_to_float, float_to_float16},
                    HalfFormat{"bfloat16", 8, 0x7f80, bfloat16_to_float, float_to_bfloat16}),
    [](const auto& each) { return each.param.name; });

TEST(Float16, RoundsAtTheEdgeOfItsRange) {
  EXPECT_EQ(float_to_float16(65519.0F), 0x7bff);
  EXPECT_EQ(float_to_float16(65520.0F), 0x7c00);
}

TEST(StoreRounded, WritesEachTypeContiguously) {
  const std::vector<float> values = {1.0F, -2.5F, 1.00390625F};
  std::array<float, 3> float32{};
  store_rounded(values, DataType::kFloat32, float32.data());
  EXPECT_EQ(float32[2], 1.00390625F);
  std::array<std::uint16_t, 3> sixteen{};
  store_rounded(values, DataType::kBFloat16, sixteen.data());
  EXPECT_EQ(sixteen, (std::array<std::uint16_t, 3>{0x3f80, 0xc020, 0x3f80}));
  store_rounded(values, DataType::kFloat16, sixteen.data());
  EXPECT_EQ(sixteen, (std::array<std::uint16_t, 3>{0x3c00, 0xc100, 0x3c04}));
  std::array<std::int32_t, 3> int32{};
  store_rounded(values, DataType::kInt32, int32.data());
  EXPECT_EQ(int32, (std::array<std::int32_t, 3>{1, -2, 1}));
  std::array<std::int64_t, 3> int64{};
  store_rounded(values, DataType::kInt64, int64.data());
  EXPECT_EQ(int64, (std::array<std::int64_t, 3>{1, -2, 1}));
}

}  // namespace
}  // namespace ptxbatch
