// UTF-8 sequences, and text repaired where it has none.
#include "common/utf8.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(Utf8, KnowsItsSequences) {
  EXPECT_TRUE(is_utf8("plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_utf8("\xC3"));              // half a character
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
}

TEST(Utf8, ARepairReplacesOnlyWhatIsWrong) {
  EXPECT_EQ(repair_utf8("a\xC3 b\xE2\x82\xAC"), "a\xEF\xBF\xBD b\xE2\x82\xAC");
  EXPECT_TRUE(is_utf8(repair_utf8("\xFF\xFE\x80\xE2\x82")));
}

TEST(Utf8, APrefixEndsBetweenCharacters) {
  EXPECT_EQ(utf8_prefix("ab\xE2\x82\xAC", 4), "ab");
  EXPECT_EQ(utf8_prefix("ab\xE2\x82\xAC", 5), "ab\xE2\x82\xAC");
  EXPECT_EQ(utf8_prefix("\xE2\x82\xAC", 1), "");
}

}  // namespace
}  // namespace ptxbatch
