// Suspects: what was in flight when its process died runs alone, until an attempt ends properly.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(SuspectContract, AreLeftWhileSomethingRuns) {
  subscribe("h");
  publish_type("order.paid");
  crash_and_take_over({});
  const EventId innocent = publish_type("order.paid");

  const Claimed claimed = claim({.suspects = SuspectPolicy::leave});

  EXPECT_THAT(ids_of(claimed.work), ElementsAre(innocent));
  EXPECT_TRUE(claimed.suspects_wait);
}

TEST_P(SuspectContract, DoNotWaitOnceTheyAreDone) {
  subscribe("h");
  publish_type("order.paid");
  crash_and_take_over({});
  const Work suspect = claim_one({.suspects = SuspectPolicy::take_alone});
  EXPECT_EQ(complete(suspect.token), Verdict::done);

  EXPECT_FALSE(claim({.suspects = SuspectPolicy::leave}).suspects_wait);
}

TEST_P(SuspectContract, DoNotTakeThePlacesOfOrdinaryWork) {
  subscribe("h");
  for (const std::string& key : keys_in_lane(3, 4)) publish(keyed(key));
  crash_and_take_over({.limit = 2});

  EXPECT_EQ(claimed_count({.limit = 2, .suspects = SuspectPolicy::leave}), 2U);
}

TEST_P(SuspectContract, OfOtherHandlersDoNotWait) {
  subscribe("h");
  publish_type("order.paid");
  crash_and_take_over({});

  EXPECT_FALSE(claim({.handlers = {"other"}}).suspects_wait);
}

TEST_P(SuspectContract, AreTakenAlone) {
  subscribe("h");
  publish_many(3);
  crash_and_take_over({.limit = 2});

  const Claimed claimed = claim({.suspects = SuspectPolicy::take_alone});

  ASSERT_THAT(claimed.work, SizeIs(1));
  EXPECT_TRUE(claimed.work[0].suspect);
  EXPECT_EQ(claimed.work[0].attempts, 1);
}

TEST_P(SuspectContract, GiveWayToOrdinaryWorkOnceTheyAreDone) {
  subscribe("h");
  publish_many(5);
  crash_and_take_over({.limit = 2});
  const ClaimWish alone{.suspects = SuspectPolicy::take_alone};
  for (int i = 0; i < 2; ++i) {
    const Work suspect = claim_one(alone);
    EXPECT_TRUE(suspect.suspect);
    EXPECT_EQ(complete(suspect.token), Verdict::done);
  }

  EXPECT_EQ(claimed_count(alone), 3U);
}

TEST_P(SuspectContract, AreClearedByAnAttemptThatEndsProperly) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});

  EXPECT_EQ(retry(claim_one({.suspects = SuspectPolicy::take_alone}).token, 0s), Verdict::done);

  EXPECT_FALSE(show(id).suspect);
  EXPECT_EQ(claimed_count({.suspects = SuspectPolicy::leave}), 1U);
}

TEST_P(SuspectContract, StaySoThroughARelease) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});

  EXPECT_EQ(release(claim_one({.suspects = SuspectPolicy::take_alone}).token), Verdict::done);

  EXPECT_TRUE(show(id).suspect);
  EXPECT_EQ(claimed_count({.suspects = SuspectPolicy::leave}), 0U);
}

TEST_P(SuspectContract, StaySoThroughARequeue) {
  subscribe("h", "*", 2);
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});
  crash_and_take_over({.suspects = SuspectPolicy::take_alone});
  ASSERT_EQ(show(id).status, DeliveryStatus::dead);

  EXPECT_EQ(requeue_all(), 1);

  EXPECT_TRUE(show(id).suspect);
  EXPECT_EQ(show(id).attempts, 0);
  const Claimed claimed = claim({.suspects = SuspectPolicy::leave});
  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_TRUE(claimed.suspects_wait);
}

TEST_P(SuspectContract, BlockTheirKeyLikeAnyOther) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  crash_and_take_over({});

  EXPECT_EQ(claimed_count({.run_limit = 10, .suspects = SuspectPolicy::leave}), 0U);

  const ClaimWish alone{.run_limit = 10, .suspects = SuspectPolicy::take_alone};
  const Work suspect = claim_one(alone);
  EXPECT_EQ(suspect.event->id, ids[0]);
  EXPECT_EQ(complete(suspect.token), Verdict::done);
  EXPECT_THAT(ids_of(claim(alone).work), ElementsAre(ids[1], ids[2]));
}

TEST_P(SuspectContract, EndARunThatComesToThem) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  EXPECT_EQ(bus().bury_selected({.event_id = ids[0]}, "later"), 1);
  crash_and_take_over({});  // The second, now the first of its key, is a suspect.
  EXPECT_EQ(requeue_all(), 1);

  const Claimed claimed = claim({.run_limit = 10, .suspects = SuspectPolicy::leave});

  EXPECT_THAT(ids_of(claimed.work), ElementsAre(ids[0]));
}

TEST_P(SuspectContract, OfAPausedHandlerDoNotWait) {
  subscribe("h");
  publish_type("order.paid");
  crash_and_take_over({});
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  const Claimed claimed = claim({.suspects = SuspectPolicy::take_alone});

  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_FALSE(claimed.suspects_wait);
}

}  // namespace penstock::contract
