#include "analysis/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;

TEST(Numbers, HaveThePapersDigitsAndADashForNone) {
  EXPECT_EQ(percent_text(1.0 / 3), "33.3");
  EXPECT_EQ(percent_text(1), "100.0");
  EXPECT_EQ(percent_text(0), "–");
  EXPECT_EQ(speedup_text(0.80886), "0.809");
  EXPECT_EQ(speedup_text(0), "–");
  EXPECT_EQ(count_text(12), "12");
}

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width("–"), 1U);
  EXPECT_EQ(display_width("模型"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("🚀"), 2U);
}

TEST(DisplayWidth, CountsBytesThatAreNotUtf8OneByOne) {
  EXPECT_EQ(display_width("\xE2\x80"), 2U);
  EXPECT_EQ(display_width("\xFFz"), 2U);
  EXPECT_EQ(display_width("\x80"), 1U);
}

TEST(Padding, FillsToTheWidthAndNeverCuts) {
  EXPECT_EQ(pad_left("–", 3), "  –");
  EXPECT_EQ(pad_right("模", 3), "模 ");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Shorten, CutsBetweenCharactersAndSaysThatItDid) {
  EXPECT_EQ(shorten("GEMM", 4), "GEMM");
  EXPECT_EQ(shorten("GEMMs", 4), "GEM…");
  EXPECT_EQ(shorten("模型模型", 6), "模型…");
}

TEST(Words, AreSplitAtAnyNumberOfSpaces) {
  EXPECT_THAT(split_words("  a  bc "), ElementsAre("a", "bc"));
  EXPECT_THAT(split_words(""), ElementsAre());
}

TEST(Escapes, KeepNamesFromBeingMarkup) {
  EXPECT_EQ(escape_markdown("a|b*c_d"), "a\\|b\\*c\\_d");
  EXPECT_EQ(escape_latex("50% of a_b & {c} \\d ~ ^ – × $"),
            "50\\% of a\\_b \\& \\{c\\} \\textbackslash{}d \\textasciitilde{} "
            "\\textasciicircum{} -- $\\times$ \\$");
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
}

TEST(Escapes, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1B[31mb\n"), "a?[31mb?");
}

}  // namespace
}  // namespace ptxbatch
