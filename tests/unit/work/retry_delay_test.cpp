// Delays between attempts: growing, jittered, capped, and never overflowing (known fault 57).
#include <gtest/gtest.h>

#include <limits>

#include "penstock/handler.hpp"

namespace penstock {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(RetryDelay, DoublesFromTwoSeconds) {
  EXPECT_EQ(default_retry_delay(1, 0.0), seconds{2});
  EXPECT_EQ(default_retry_delay(2, 0.0), seconds{4});
  EXPECT_EQ(default_retry_delay(10, 0.0), seconds{1'024});
}

TEST(RetryDelay, AddsUpToAQuarter) {
  EXPECT_EQ(default_retry_delay(2, 0.5), std::chrono::milliseconds{4'500});
  EXPECT_LT(default_retry_delay(2, 0.999), seconds{5});
}

TEST(RetryDelay, GrowsToTheCapAndStaysThere) {
  Duration last{0};
  for (int attempts = 0; attempts <= 10'000; ++attempts) {
    const Duration delay = default_retry_delay(attempts, 0.0);
    EXPECT_GE(delay, last);
    EXPECT_LE(delay, hours{24});
    last = delay;
  }
  EXPECT_EQ(last, hours{24});
  EXPECT_EQ(default_retry_delay(std::numeric_limits<int>::max(), 1.0), hours{24});
}

TEST(RetryDelay, IsNeverNegative) { EXPECT_GT(default_retry_delay(-5, -1.0), Duration::zero()); }

}  // namespace
}  // namespace penstock
