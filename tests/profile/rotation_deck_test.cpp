// Orders that do not come again.
#include "ranks/profile/rotation_deck.h"

#include <gtest/gtest.h>

#include <set>

namespace ptxbatch {
namespace {

std::vector<std::int64_t> deal(RotationDeck& deck, int count) {
  std::vector<std::int64_t> dealt;
  for (int i = 0; i < count; ++i) dealt.push_back(deck.deal());
  return dealt;
}

TEST(RotationDeck, NoneComesAgainBeforeAllHaveCome) {
  RotationDeck deck(192);
  for (int round = 0; round < 3; ++round) {
    const auto dealt = deal(deck, 192);
    EXPECT_EQ(std::set<std::int64_t>(dealt.begin(), dealt.end()).size(), 192U);
    EXPECT_EQ(*std::min_element(dealt.begin(), dealt.end()), 0);
    EXPECT_EQ(*std::max_element(dealt.begin(), dealt.end()), 191);
  }
}

TEST(RotationDeck, ANewRunnerGetsAWholeDeck) {
  RotationDeck deck(10);
  deal(deck, 7);
  deck.shuffle();
  const auto dealt = deal(deck, 10);
  EXPECT_EQ(std::set<std::int64_t>(dealt.begin(), dealt.end()).size(), 10U);
}

TEST(RotationDeck, EveryDeckHasAnOrderOfItsOwn) {
  RotationDeck one(1000);
  RotationDeck other(1000);
  EXPECT_NE(deal(one, 1000), deal(other, 1000));
}

TEST(RotationDeck, OfOnePartThereIsOneOrder) {
  RotationDeck deck(1);
  EXPECT_EQ(deal(deck, 3), (std::vector<std::int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace ptxbatch
