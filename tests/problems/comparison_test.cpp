// The paper's rule, element by element, at its edges.
#include "ranks/problems/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "ranks/problems/number_formats.h"
#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor tensor(std::size_t count, DataType type = DataType::kFloat32) {
  return {"C", type, {static_cast<std::int64_t>(count)}};
}

OutputError compare(const std::vector<float>& actual, const std::vector<float>& expected,
                    Tolerance tolerance = {}) {
  return compare_output(tensor(actual.size()), actual.data(), expected.data(), tolerance);
}

bool right(float actual, float expected, Tolerance tolerance = {}) {
  return is_right(compare({actual}, {expected}, tolerance));
}

float poison() {
  float value = 0;
  fill_with_poison(tensor(1), &value);
  return value;
}

TEST(Comparison, OfEqualValuesFindsNothing) {
  const auto error = compare({1, -2, 0}, {1, -2, 0});
  EXPECT_EQ(error.output, "C");
  EXPECT_EQ(error.elements, 3);
  EXPECT_EQ(error.wrong, 0);
  EXPECT_EQ(error.max_abs, 0);
  EXPECT_EQ(error.max_rel, 0);
  EXPECT_EQ(error.rms_rel, 0);
  EXPECT_EQ(error.first_wrong, -1);
}

TEST(Comparison, NeedsBothTolerancesExceeded) {
  EXPECT_TRUE(right(100.5F, 100.0F));   // 0.5, but 0.5 %
  EXPECT_TRUE(right(0.015F, 0.010F));   // 50 %, but 0.005
  EXPECT_FALSE(right(102.0F, 100.0F));  // 2, and 2 %
  EXPECT_FALSE(right(-102.0F, -100.0F));
  EXPECT_FALSE(right(0.03F, 0.01F));  // 0.02, and 200 %
}

TEST(Comparison, AcceptsAnErrorOfExactlyTheTolerance) {
  const Tolerance absolute{0.25, 0};
  EXPECT_TRUE(right(1.25F, 1.0F, absolute));
  EXPECT_FALSE(right(std::nextafter(1.25F, 2.0F), 1.0F, absolute));
  // The relative error's denominator is |y| + 1e-8: 0.5 / (2 + 1e-8).
  const Tolerance relative{0, 0.5 / (2 + 1e-8)};
  EXPECT_TRUE(right(2.5F, 2.0F, relative));
  EXPECT_FALSE(right(std::nextafter(2.5F, 3.0F), 2.0F, relative));
}

TEST(Comparison, AgainstZeroUsesTheAbsoluteTolerance) {
  EXPECT_TRUE(right(0.009F, 0.0F));
  EXPECT_FALSE(right(0.011F, 0.0F));
  EXPECT_NEAR(compare({0.011F}, {0.0F}).max_rel, 0.011 / 1e-8, 1);
}

TEST(Comparison, CountsWhatIsNotFiniteAsWrong) {
  for (const float value : {kNan, -kNan, kInfinity, -kInfinity}) {
    const auto error = compare({1, value}, {1, 1});
    EXPECT_EQ(error.wrong, 1);
    EXPECT_EQ(error.not_finite, 1);
    EXPECT_EQ(error.never_written, 0);
    EXPECT_EQ(error.first_wrong, 1);
    EXPECT_EQ(error.max_abs, 0) << "the errors are those of finite elements";
  }
}

TEST(Comparison, CountsAgreementOnNanOrInfinityAsWrong) {
  EXPECT_FALSE(right(kNan, kNan));
  EXPECT_FALSE(right(kInfinity, kInfinity));
  EXPECT_FALSE(right(1, kNan));
  EXPECT_FALSE(right(1, kInfinity));
}

TEST(Comparison, OfTheLargestFloatsDoesNotOverflow) {
  const float largest = std::numeric_limits<float>::max();
  EXPECT_TRUE(right(largest, largest));
  const auto error = compare({largest}, {-largest});
  EXPECT_EQ(error.wrong, 1);
  EXPECT_EQ(error.not_finite, 0);
  EXPECT_EQ(error.max_abs, 2.0 * largest);
}

TEST(Comparison, TellsWhatWasNeverWrittenFromOtherNan) {
  const auto error = compare({1, poison(), kNan, poison()}, {1, 1, 1, 1});
  EXPECT_EQ(error.wrong, 3);
  EXPECT_EQ(error.never_written, 2);
  EXPECT_EQ(error.not_finite, 1);
  EXPECT_EQ(error.first_wrong, 1);
}

TEST(Comparison, ReportsTheLargestErrorsAndTheRms) {
  const auto error = compare({3, 10, 0.5F}, {4, 8, 0.25F});
  EXPECT_EQ(error.max_abs, 2);
  EXPECT_NEAR(error.max_rel, 1, 1e-6);
  EXPECT_NEAR(error.rms_rel, std::sqrt((1 + 4 + 0.0625) / (16 + 64 + 0.0625)), 1e-12);
  EXPECT_EQ(error.wrong, 3);
  EXPECT_EQ(error.first_wrong, 0);
}

// Around the block size of the implementation, with the only wrong element at each position.
TEST(Comparison, FindsOneWrongElementWhereverItIs) {
  for (const std::size_t count : {1U, 7U, 8U, 9U, 511U, 512U, 513U, 1025U}) {
    const std::vector<float> expected(count, 1.0F);
    for (std::size_t position = 0; position < count; ++position) {
      auto actual = expected;
      actual[position] = 2.0F;
      const auto error = compare(actual, expected);
      ASSERT_EQ(error.wrong, 1) << position << " of " << count;
      ASSERT_EQ(error.first_wrong, static_cast<std::int64_t>(position));
      ASSERT_EQ(error.elements, static_cast<std::int64_t>(count));
    }
  }
}

// The rule written as the paper has it, one element at a time.
TEST(Comparison, AgreesWithThePlainRule) {
  std::vector<float> expected(10'000);
  std::vector<float> actual(expected.size());
  generate_normal(1, 0, expected);
  generate_normal(2, 0, actual);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    actual[i] = expected[i] + actual[i] * 0.01F;
    const double error = std::fabs(static_cast<double>(actual[i]) - expected[i]);
    if (error > 1e-2 && error / (std::fabs(static_cast<double>(expected[i])) + 1e-8) > 1e-2)
      ++wrong;
  }
  ASSERT_GT(wrong, 100);
  EXPECT_EQ(compare(actual, expected).wrong, wrong);
}

class SixteenBitComparison : public testing::TestWithParam<DataType> {};

TEST_P(SixteenBitComparison, WidensBeforeItCompares) {
  const std::vector<float> expected = {1.0F, -3.0F, 0.0F, 256.0F};
  const std::vector<float> actual = {1.0F, -3.5F, 0.0F, 257.0F};
  const auto output = tensor(4, GetParam());
  std::vector<std::uint16_t> x(4);
  std::vector<std::uint16_t> y(4);
  store_rounded(actual, GetParam(), x.data());
  store_rounded(expected, GetParam(), y.data());
  const auto error = compare_output(output, x.data(), y.data(), {});
  EXPECT_EQ(error.wrong, 1);
  EXPECT_EQ(error.first_wrong, 1);
  // bfloat16 has 8 bits of fraction: 257 is stored as 256.
  EXPECT_EQ(error.max_abs, GetParam() == DataType::kBFloat16 ? 0.5 : 1.0);
}

TEST_P(SixteenBitComparison, SeesPoison) {
  const auto output = tensor(3, GetParam());
  std::vector<std::uint16_t> x(3);
  fill_with_poison(output, x.data());
  const std::vector<std::uint16_t> zeros(3);
  x[1] = 0;
  const auto error = compare_output(output, x.data(), zeros.data(), {});
  EXPECT_EQ(error.never_written, 2);
  EXPECT_EQ(error.wrong, 2);
  EXPECT_EQ(error.not_finite, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, SixteenBitComparison,
                         testing::Values(DataType::kFloat16, DataType::kBFloat16),
                         [](const auto& each) { return std::string(data_type_name(each.param)); });

TEST(Poison, IsANanThatArithmeticDoesNotMake) {
  EXPECT_TRUE(std::isnan(poison()));
  EXPECT_TRUE(std::isnan(bfloat16_to_float(poison_bits(DataType::kBFloat16))));
  EXPECT_TRUE(std::isnan(float16_to_float(poison_bits(DataType::kFloat16))));
  const volatile float zero = 0;
  const float made = zero / zero;
  const float from_poison = poison();
  EXPECT_NE(std::memcmp(&made, &from_poison, sizeof made), 0);
}

TEST(Comparison, OfIntegersIsAMistakeOfTheCaller) {
  const std::int32_t value = 0;
  EXPECT_THROW(compare_output(tensor(1, DataType::kInt32), &value, &value, {}),
               std::invalid_argument);
}

TEST(Accumulation, KeepsTheWorstOfTheTrialsAndAddsTheCounts) {
  OutputError total;
  accumulate(total, compare({1, 1}, {1, 1}));
  EXPECT_TRUE(is_right(total));
  EXPECT_EQ(total.first_wrong, -1);
  accumulate(total, compare({1, 3}, {1, 2}));
  accumulate(total, compare({kNan, poison()}, {1, 2}));
  EXPECT_EQ(total.output, "C");
  EXPECT_EQ(total.elements, 6);
  EXPECT_EQ(total.wrong, 3);
  EXPECT_EQ(total.not_finite, 1);
  EXPECT_EQ(total.never_written, 1);
  EXPECT_EQ(total.max_abs, 1);
  EXPECT_NEAR(total.max_rel, 0.5, 1e-6);
  EXPECT_EQ(total.first_wrong, 1) << "of the earliest trial that has one";
}

}  // namespace
}  // namespace ptxbatch
