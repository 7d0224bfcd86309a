// The token bucket, on times that the tests give.
#include "dispatch/token_bucket.hpp"

#include <gtest/gtest.h>

namespace penstock::dispatch {
namespace {

using namespace std::chrono_literals;
using Time = TokenBucket::Time;

constexpr Time kStart{1h};

TEST(TokenBucket, BeginsFull) {
  TokenBucket bucket{10, 5, kStart};
  EXPECT_EQ(bucket.available(kStart), 5U);
}

TEST(TokenBucket, FillsEvenlyAndNoFurtherThanItsBurst) {
  TokenBucket bucket{10, 5, kStart};
  bucket.take(5);
  EXPECT_EQ(bucket.available(kStart), 0U);
  EXPECT_EQ(bucket.available(kStart + 100ms), 1U);
  EXPECT_EQ(bucket.available(kStart + 250ms), 2U);
  EXPECT_EQ(bucket.available(kStart + 1h), 5U);
}

TEST(TokenBucket, SaysWhenTheNextComes) {
  TokenBucket bucket{10, 1, kStart};
  bucket.take(1);
  EXPECT_EQ(bucket.next_at(kStart), kStart + 100ms);
  EXPECT_EQ(bucket.next_at(kStart + 40ms), kStart + 100ms);
}

TEST(TokenBucket, IsInDebtForWhatWasTakenAhead) {
  TokenBucket bucket{10, 2, kStart};
  bucket.take(4);
  EXPECT_EQ(bucket.available(kStart + 100ms), 0U);
  EXPECT_EQ(bucket.available(kStart + 300ms), 1U);
}

TEST(TokenBucket, KeepsAtLeastOneHoweverSmallTheBurst) {
  TokenBucket bucket{0.5, 0.1, kStart};
  EXPECT_EQ(bucket.available(kStart), 1U);
  bucket.take(1);
  EXPECT_EQ(bucket.available(kStart + 1s), 0U);
  EXPECT_EQ(bucket.available(kStart + 2s), 1U);
}

TEST(TokenBucket, IsNotDisturbedByTimeThatGoesBack) {
  TokenBucket bucket{10, 5, kStart};
  bucket.take(5);
  EXPECT_EQ(bucket.available(kStart - 1s), 0U);
  EXPECT_EQ(bucket.available(kStart + 100ms), 1U);
}

TEST(TokenBucket, ARateOfOneInAYearOverflowsNothing) {
  TokenBucket bucket{1.0 / 31'536'000, 1, kStart};
  bucket.take(1);
  EXPECT_GT(bucket.next_at(kStart), kStart + 1h);
}

}  // namespace
}  // namespace penstock::dispatch
