#include "common/trim.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(Trim, TakesTheBlanksAroundAndLeavesThoseWithin) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("ab"), "ab");
}

TEST(Trim, OfBlanksAloneIsEmpty) {
  EXPECT_EQ(trim(" \t\r\n"), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace ptxbatch
