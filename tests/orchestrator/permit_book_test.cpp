// Limits of models, with minutes that pass when the test says so.
#include "orchestrator/permit_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<ModelSpec> limited(ModelLimits limits) {
  std::vector<ModelSpec> models(2);
  models[0].name = "limited";
  models[0].endpoint.limits = limits;
  models[1].name = "free";
  return models;
}

PermitBook::Key key(int number, int rank = 1) {
  return {rank, static_cast<std::uint64_t>(number)};
}

class PermitBookTest : public testing::Test {
 protected:
  const SteadyClock::time_point start_ = SteadyClock::now();
};

TEST_F(PermitBookTest, WithoutLimitsAllAreGranted) {
  PermitBook book(limited({}));
  for (int i = 0; i < 100; ++i) book.ask("free", key(i), 1'000'000);
  EXPECT_EQ(book.grant(start_).size(), 100U);
  EXPECT_EQ(book.in_flight("free"), 100);
}

TEST_F(PermitBookTest, RequestsInFlightAreThoseOfAllRanks) {
  PermitBook book(limited({.in_flight = 2}));
  book.ask("limited", key(1, 1), 1);
  book.ask("limited", key(1, 2), 1);
  book.ask("limited", key(1, 3), 1);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1, 1), key(1, 2)));
  EXPECT_THAT(book.grant(start_), IsEmpty());
  book.give_back(key(1, 1), 1, 0, start_);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1, 3)));
}

TEST_F(PermitBookTest, VariantsOfAModelShareItsLimits) {
  std::vector<ModelSpec> rows(2);
  rows[0].name = "limited, told more";
  rows[1].name = "limited, told less";
  for (ModelSpec& row : rows) {
    row.base = "limited";
    row.endpoint.limits = {.in_flight = 1};
  }
  PermitBook book(rows);
  book.ask("limited, told more", key(1), 1);
  book.ask("limited, told less", key(2), 1);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1)));
  EXPECT_EQ(book.in_flight("limited, told less"), 1);
  book.give_back(key(1), 1, 0, start_);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(2)));
}

TEST_F(PermitBookTest, NoMinuteHoldsMoreRequestsThanTheLimit) {
  PermitBook book(limited({.requests_per_minute = 3}));
  for (int i = 0; i < 7; ++i) {
    book.ask("limited", key(i), 1);
  }
  EXPECT_EQ(book.grant(start_).size(), 3U);
  for (int i = 0; i < 3; ++i) book.give_back(key(i), 1, 0, start_);
  EXPECT_THAT(book.grant(start_ + seconds(59)), IsEmpty());
  EXPECT_EQ(book.grant(start_ + seconds(60)).size(), 3U);
  EXPECT_THAT(book.grant(start_ + seconds(119)), IsEmpty());
  EXPECT_EQ(book.grant(start_ + seconds(120)).size(), 1U);
}

TEST_F(PermitBookTest, TokensCountAsEstimatedAndThenAsUsed) {
  PermitBook book(limited({.tokens_per_minute = 1000}));
  book.ask("limited", key(1), 600);
  book.ask("limited", key(2), 600);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1)));
  book.give_back(key(1), 100, 0, start_);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(2)));
}

TEST_F(PermitBookTest, ARequestLargerThanTheLimitWaitsForAnEmptyMinute) {
  PermitBook book(limited({.tokens_per_minute = 1000}));
  book.ask("limited", key(1), 10);
  book.ask("limited", key(2), 5000);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1)));
  EXPECT_THAT(book.grant(start_ + seconds(59)), IsEmpty());
  EXPECT_THAT(book.grant(start_ + seconds(60)), ElementsAre(key(2)));
}

TEST_F(PermitBookTest, APauseHoldsBackAllOfTheModelAndNoOther) {
  PermitBook book(limited({}));
  book.ask("limited", key(1), 1);
  EXPECT_EQ(book.grant(start_).size(), 1U);
  book.give_back(key(1), 0, 30, start_);
  book.ask("limited", key(2), 1);
  book.ask("free", key(3), 1);
  EXPECT_THAT(book.grant(start_ + seconds(29)), ElementsAre(key(3)));
  EXPECT_THAT(book.grant(start_ + seconds(30)), ElementsAre(key(2)));
}

TEST_F(PermitBookTest, WhatARankHeldIsFreeOnceItIsGone) {
  PermitBook book(limited({.in_flight = 1}));
  book.ask("limited", key(1, 1), 1);
  book.ask("limited", key(2, 1), 1);
  book.ask("limited", key(1, 2), 1);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1, 1)));
  book.drop_rank(1);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(1, 2)));
}

TEST_F(PermitBookTest, APermitThatNobodyWaitsForIsNotGranted) {
  PermitBook book(limited({.in_flight = 1}));
  book.ask("limited", key(1), 1);
  book.ask("limited", key(2), 1);
  book.give_back(key(1), 0, 0, start_);
  EXPECT_THAT(book.grant(start_), ElementsAre(key(2)));
}

}  // namespace
}  // namespace ptxbatch
