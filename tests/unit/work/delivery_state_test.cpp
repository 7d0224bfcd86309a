// Who may move a delivery, and what a crash costs.
#include "work/delivery_state.hpp"

#include <gtest/gtest.h>

#include <array>

namespace penstock::work {
namespace {

using enum DeliveryStatus;

TEST(DeliveryState, OnlyAClaimPutsInFlight) {
  for (const Actor actor : {Actor::worker, Actor::takeover, Actor::operators}) {
    for (const auto from : {pending, in_flight, dead, completed}) {
      EXPECT_FALSE(may_move(actor, from, in_flight));
    }
  }
  EXPECT_TRUE(may_move(Actor::claim, pending, in_flight));
  EXPECT_FALSE(may_move(Actor::claim, dead, in_flight));
}

TEST(DeliveryState, NobodyMovesACompletedOne) {
  for (const Actor actor : {Actor::claim, Actor::worker, Actor::takeover, Actor::operators}) {
    for (const auto to : {pending, in_flight, dead, completed}) {
      EXPECT_FALSE(may_move(actor, completed, to));
    }
  }
}

TEST(DeliveryState, OnlyAnOperatorRevivesADeadOne) {
  EXPECT_TRUE(may_move(Actor::operators, dead, pending));
  EXPECT_FALSE(may_move(Actor::worker, dead, pending));
  EXPECT_FALSE(may_move(Actor::takeover, dead, pending));
}

TEST(DeliveryState, AWorkerEndsWhatItHasInFlight) {
  EXPECT_TRUE(may_move(Actor::worker, in_flight, completed));
  EXPECT_TRUE(may_move(Actor::worker, in_flight, pending));
  EXPECT_TRUE(may_move(Actor::worker, in_flight, dead));
  EXPECT_FALSE(may_move(Actor::worker, pending, completed));
}

TEST(DeliveryState, ATakeoverCompletesNothing) {
  EXPECT_FALSE(may_move(Actor::takeover, in_flight, completed));
}

TEST(CrashCharge, CostsOneAttempt) { EXPECT_EQ(charge_for_crash(3, false, 25).attempts, 4); }

TEST(CrashCharge, BuriesNoNeighbour) {
  EXPECT_FALSE(charge_for_crash(2, false, 3).bury);
  EXPECT_FALSE(charge_for_crash(1'000, false, 3).bury);
}

TEST(CrashCharge, BuriesASuspectWithoutAttemptsLeft) {
  EXPECT_FALSE(charge_for_crash(1, true, 3).bury);
  EXPECT_TRUE(charge_for_crash(2, true, 3).bury);
}

TEST(CrashCharge, BuriesNothingOfAnUnknownHandler) {
  EXPECT_FALSE(charge_for_crash(1'000, true, std::nullopt).bury);
}

}  // namespace
}  // namespace penstock::work
