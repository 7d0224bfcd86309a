// Who may move a delivery.
#include "store/memory/transitions.hpp"

#include <gtest/gtest.h>

namespace penstock::memory {
namespace {

using enum DeliveryStatus;

TEST(MemoryTransitions, OnlyAClaimPutsInFlight) {
  for (const Actor actor : {Actor::worker, Actor::takeover, Actor::operators}) {
    for (const auto from : {pending, in_flight, dead, completed}) {
      EXPECT_FALSE(may_move(actor, from, in_flight));
    }
  }
  EXPECT_TRUE(may_move(Actor::claim, pending, in_flight));
  EXPECT_FALSE(may_move(Actor::claim, dead, in_flight));
}

TEST(MemoryTransitions, NobodyMovesACompletedOne) {
  for (const Actor actor : {Actor::claim, Actor::worker, Actor::takeover, Actor::operators}) {
    for (const auto to : {pending, in_flight, dead, completed}) {
      EXPECT_FALSE(may_move(actor, completed, to));
    }
  }
}

TEST(MemoryTransitions, OnlyAnOperatorRevivesADeadOne) {
  EXPECT_TRUE(may_move(Actor::operators, dead, pending));
  EXPECT_FALSE(may_move(Actor::worker, dead, pending));
  EXPECT_FALSE(may_move(Actor::takeover, dead, pending));
}

TEST(MemoryTransitions, AWorkerEndsWhatItHasInFlight) {
  EXPECT_TRUE(may_move(Actor::worker, in_flight, completed));
  EXPECT_TRUE(may_move(Actor::worker, in_flight, pending));
  EXPECT_TRUE(may_move(Actor::worker, in_flight, dead));
  EXPECT_FALSE(may_move(Actor::worker, pending, completed));
}

TEST(MemoryTransitions, ATakeoverCompletesNothing) {
  EXPECT_FALSE(may_move(Actor::takeover, in_flight, completed));
}

}  // namespace
}  // namespace penstock::memory
