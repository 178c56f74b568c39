#include "common/median.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(Median, OfOddEvenAndNone) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

}  // namespace
}  // namespace ptxbatch
