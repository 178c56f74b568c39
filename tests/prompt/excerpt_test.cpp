// What a cut text must keep to.
#include "ranks/excerpt.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(Excerpt, TextThatFitsStaysAsItIs) {
  EXPECT_EQ(head_and_tail("short", 5), "short");
}

TEST(Excerpt, HeadAndTailStayAndTheCutIsCounted) {
  const std::string text = "FIRST" + std::string(10'000, '.') + "LAST";
  const std::string cut = head_and_tail(text, 400);
  EXPECT_LE(cut.size(), 400U);
  EXPECT_TRUE(cut.starts_with("FIRST"));
  EXPECT_TRUE(cut.ends_with("LAST"));
  const std::size_t number = cut.find("[... ") + 5;
  const std::size_t missing = std::stoul(cut.substr(number));
  const std::size_t line = cut.find("\n[... ");
  const std::size_t line_end = cut.find("...]\n") + 5;
  EXPECT_EQ(missing + line + (cut.size() - line_end), text.size());
}

TEST(Excerpt, NoUtf8SequenceIsSplitAtAnyCut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\xE2\x82\xAC";  // the euro sign, three bytes
  for (std::size_t budget = 100; budget < 140; ++budget) {
    const std::string cut = head_and_tail(text, budget);
    const std::size_t head = cut.find("\n[... ");
    const std::size_t tail = cut.size() - cut.find("...]\n") - 5;
    EXPECT_EQ(head % 3, 0U) << budget;
    EXPECT_EQ(tail % 3, 0U) << budget;
  }
}

TEST(Excerpt, BytesThatAreNotUtf8AreCutAnywhereWithinTheBudget) {
  const std::string text(5'000, '\x80');
  const std::string cut = head_and_tail(text, 300);
  EXPECT_LE(cut.size(), 300U);
}

TEST(Excerpt, ABudgetTooSmallForAnythingStillSaysWhatIsMissing) {
  EXPECT_EQ(head_and_tail(std::string(50, 'x'), 0), "\n[... 50 characters cut ...]\n");
}

}  // namespace
}  // namespace ptxbatch
