// When a process asks to be notified, and when it looks by itself.
#include "store/postgres/demand.hpp"

#include <gtest/gtest.h>

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;

class DemandTest : public testing::Test {
 protected:
  std::optional<Duration> claim(Found found, Duration after = 1ms) {
    now_ += after;
    return demand_.claim_ended(found, now_);
  }
  void be_busy() {
    for (int i = 0; i < 8; ++i) (void)claim(Found::some);
    ASSERT_FALSE(demand_.is_open());
  }

  Demand demand_;
  Demand::Steady::time_point now_ = Demand::Steady::now();
};

TEST_F(DemandTest, IsThereFromTheBeginningAndWhileThereIsNothing) {
  EXPECT_TRUE(demand_.is_open());
  EXPECT_EQ(claim(Found::nothing), std::nullopt);
  EXPECT_TRUE(demand_.is_open());
}

TEST_F(DemandTest, RemainsWhereWorkComesNowAndThen) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(claim(Found::some, 21ms), std::nullopt);

  EXPECT_TRUE(demand_.is_open());
}

TEST_F(DemandTest, EndsWithAFullBatchWhichIsFollowedByAnotherClaimAnyway) {
  EXPECT_EQ(claim(Found::full_batch), std::nullopt);

  EXPECT_FALSE(demand_.is_open());
}

TEST_F(DemandTest, EndsWhereWorkKeepsComingAndThenOneLooksAgainSoon) {
  be_busy();

  EXPECT_EQ(claim(Found::some), 2ms);
  EXPECT_EQ(claim(Found::nothing, 2ms), 4ms);
  EXPECT_EQ(claim(Found::nothing, 4ms), 8ms);
  EXPECT_EQ(claim(Found::nothing, 8ms), 10ms);
  EXPECT_EQ(claim(Found::nothing, 10ms), 10ms);
  EXPECT_EQ(claim(Found::some, 10ms), 2ms);
  EXPECT_FALSE(demand_.is_open());
}

TEST_F(DemandTest, ComesBackAfterAWhileWithNothingAndTellsWhoListens) {
  Flag told;
  demand_.add(told);
  be_busy();
  EXPECT_EQ(claim(Found::nothing, 99ms), 4ms);
  EXPECT_FALSE(told.take());

  EXPECT_EQ(claim(Found::nothing, 1ms), std::nullopt);

  EXPECT_TRUE(demand_.is_open());
  EXPECT_TRUE(told.take());
  demand_.remove(told);
}

}  // namespace
}  // namespace penstock::postgres::detail
