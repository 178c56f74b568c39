// Terms of a source, and BM25 against an example that is computed by hand.
#include "ranks/prompt/bm25.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(SourceTerms, AreIdentifiersAndNumbersInLowerCase) {
  EXPECT_THAT(source_terms("int kTile = 64 + 7; foo_1(KTILE, i);"),
              UnorderedElementsAre(Pair("int", 1), Pair("ktile", 2), Pair("64", 1), Pair("7", 1),
                                   Pair("foo_1", 1)));
}

TEST(SourceTerms, CommentsHaveNoneButStringsDo) {
  EXPECT_THAT(
      source_terms("// wgmma here\nasm(\"wgmma.fence; // kept\" /* not\nthis */);\n'\"' /"),
      UnorderedElementsAre(Pair("asm", 1), Pair("wgmma", 1), Pair("fence", 1), Pair("kept", 1)));
}

TEST(SourceTerms, AnEscapedQuoteEndsNoString) {
  EXPECT_THAT(source_terms(R"(f("aa\"// bb"); // cc)"),
              UnorderedElementsAre(Pair("aa", 1), Pair("bb", 1)));
}

// Lengths 3, 3 and 6, so 4 on average. N = 3.
//   idf(mma)  = ln((3 - 1 + 0.5) / (1 + 0.5) + 1) = ln(8/3) = 0.98083
//   idf(load) = ln((3 - 2 + 0.5) / (2 + 0.5) + 1) = ln(1.6) = 0.47000
// Both short documents: 1.5 (1 - 0.75 + 0.75 * 3/4) = 1.21875
//   first:  0.98083 * 2 * 2.5 / (2 + 1.21875) + 0.47000 * 1 * 2.5 / (1 + 1.21875)
//         = 1.52362 + 0.52958 = 2.05320
//   second: 0.52958
TEST(Bm25, AgreesWithAnExampleByHand) {
  const Bm25 index({{{"mma", 2}, {"load", 1}}, {{"load", 1}, {"store", 2}}, {{"sync", 6}}});
  const auto scores = index.scores({{"mma", 1}, {"load", 1}, {"unknown", 1}});
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_NEAR(scores[0], 2.05320, 1e-5);
  EXPECT_NEAR(scores[1], 0.52958, 1e-5);
  EXPECT_EQ(scores[2], 0);
}

TEST(Bm25, ATermOfTheQueryCountsOnce) {
  const Bm25 index({{{"mma", 2}}, {{"load", 1}}});
  EXPECT_EQ(index.scores({{"mma", 5}}), index.scores({{"mma", 1}}));
}

// ln((2 - 2 + 0.5) / (2 + 0.5) + 1) = ln(1.2): small, but never below zero.
TEST(Bm25, ATermThatAllHaveStillCountsALittle) {
  const Bm25 index({{{"run", 1}}, {{"run", 1}}});
  EXPECT_NEAR(index.scores({{"run", 1}})[0], 0.182322, 1e-6);
}

TEST(Bm25, NoDocumentsHaveNoScores) {
  EXPECT_TRUE(Bm25({}).scores({{"mma", 1}}).empty());
}

}  // namespace
}  // namespace ptxbatch
