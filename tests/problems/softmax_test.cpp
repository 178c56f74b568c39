// Every implementation of the softmax against one in double precision.
#include "ranks/problems/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

class Softmax : public testing::TestWithParam<SoftmaxImplementation> {
 protected:
  /// Runs on a row with its padding full of NaN, which must not leak into the row.
  void expect_right(const std::vector<float>& scores) const {
    const auto count = static_cast<std::int64_t>(scores.size());
    auto row = scores;
    row.resize(static_cast<std::size_t>(padded_row(count)), std::nanf(""));
    const double log_sum = GetParam().run(row.data(), count);

    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - largest);
    const double expected_log_sum = largest + std::log(sum);
    EXPECT_NEAR(log_sum, expected_log_sum, 1e-6 * std::max(1.0, std::fabs(expected_log_sum)));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double distance = largest - scores[i];
      const double expected = std::exp(-distance) / sum;
      const double relative = 1e-6 + 1.2e-7 * distance;
      ASSERT_NEAR(row[i], expected, relative * expected + 1e-37) << i << " of " << scores.size();
    }
    EXPECT_TRUE(std::all_of(row.begin() + count, row.end(), [](float x) { return x == 0; }));
  }
};

TEST_P(Softmax, IsRightForEveryLengthAroundAVector) {
  for (std::size_t count = 1; count <= 50; ++count) {
    std::vector<float> scores(count);
    generate_normal(count, 0, scores);
    expect_right(scores);
  }
}

TEST_P(Softmax, IsRightForALongRow) {
  std::vector<float> scores(4096);
  generate_normal(9, 0, scores);
  expect_right(scores);
}

TEST_P(Softmax, IsRightForScoresFarApart) {
  std::vector<float> scores(136);
  generate_normal(10, 0, scores);
  for (auto& score : scores) score *= 40;
  expect_right(scores);
  expect_right({-300, -200, -100, 0});
  expect_right({1000, 999, 998});
  expect_right({-1000, -1000});
}

std::string test_name(const testing::TestParamInfo<SoftmaxImplementation>& each) {
  std::string name(each.param.instruction_set);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, Softmax, testing::ValuesIn(softmax_implementations()), test_name);

}  // namespace
}  // namespace ptxbatch
