// How much to claim, and when not to.
#include "claim/plan.hpp"

#include <gtest/gtest.h>

namespace penstock::claim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Load idle() { return {.concurrency = 8, .batch = 100, .max_unrecorded = 1'000}; }

TEST(ClaimPlan, TakesOnlyWhatThreadsCanBeginWhileThePaceIsUnknown) {
  const auto plan = plan_claim(idle());

  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->limit, 8U);
  EXPECT_EQ(plan->run_limit, 1U);
}

TEST(ClaimPlan, TakesNothingAheadOfSlowHandlers) {
  Load load = idle();
  load.pace = seconds{10};

  EXPECT_EQ(plan_claim(load)->limit, 8U);
  load.unfinished = load.in_hand = 8;
  EXPECT_FALSE(plan_claim(load));
}

TEST(ClaimPlan, TakesABatchAheadOfQuickHandlers) {
  Load load = idle();
  load.pace = Duration{5};
  load.unfinished = load.in_hand = 8;

  const auto plan = plan_claim(load);

  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->limit, 100U);
  EXPECT_EQ(plan->run_limit, 100U);
}

TEST(ClaimPlan, FillsASingleFreeThreadOfSlowHandlers) {
  Load load = idle();
  load.pace = seconds{10};
  load.unfinished = load.in_hand = 7;

  EXPECT_EQ(plan_claim(load)->limit, 1U);
}

TEST(ClaimPlan, WaitsForAGoodPortionWhileWorkWaits) {
  Load load = idle();
  load.pace = Duration{5};
  load.waiting = load.unfinished = load.in_hand = 90;

  EXPECT_FALSE(plan_claim(load));
  load.waiting = load.unfinished = load.in_hand = 58;
  EXPECT_EQ(plan_claim(load)->limit, 50U);
}

TEST(ClaimPlan, StopsWhenTooManyEndsAreUnrecorded) {
  Load load = idle();
  load.max_unrecorded = 50;
  load.in_hand = 49;
  EXPECT_TRUE(plan_claim(load));
  load.in_hand = 50;
  EXPECT_FALSE(plan_claim(load));
}

TEST(ClaimPlan, LeavesSuspectsWhileAnythingIsInHand) {
  Load load = idle();
  load.in_hand = load.unfinished = 1;

  EXPECT_EQ(plan_claim(load)->suspects, SuspectPolicy::leave);
  EXPECT_EQ(plan_claim(idle())->suspects, SuspectPolicy::take_alone);
}

TEST(ClaimPlan, EmptiesTheHandsBeforeASuspect) {
  Load load = idle();
  load.must_be_empty_first = true;
  load.in_hand = 1;
  EXPECT_FALSE(plan_claim(load));
  load.in_hand = 0;
  EXPECT_EQ(plan_claim(load)->suspects, SuspectPolicy::take_alone);
}

}  // namespace
}  // namespace penstock::claim
