// purge: what outlived its retention goes, and nothing else.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {
constexpr Duration kWeek = std::chrono::days{7};
constexpr Duration kMonth = std::chrono::days{30};
}  // namespace

TEST_P(PurgeContract, OfAnEmptyStoreDoesNothing) {
  const Purged purged = bus().purge({}, 100);

  EXPECT_EQ(purged.events + purged.dead + purged.history + purged.keys, 0);
  EXPECT_FALSE(purged.more);
}

TEST_P(PurgeContract, TakesEventsWithoutDeliveriesAfterTheirRetention) {
  publish_type("order.paid");
  clock().advance(kWeek - 1s);
  EXPECT_EQ(purge_all().events, 0);

  clock().advance(2s);

  EXPECT_EQ(purge_all().events, 1);
  EXPECT_EQ(bus().statistics().events, 0);
}

TEST_P(PurgeContract, KeepsEventsWhileADeliveryIsLeft) {
  subscribe("h");
  subscribe("other");
  publish_type("order.paid");
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  relinquish("worker-a");
  EXPECT_EQ(complete(claim_one({.handlers = {"other"}}).token), Verdict::done);
  publish_type("order.paid");
  clock().advance(kWeek + 1s);

  EXPECT_EQ(purge_all().events, 0);

  EXPECT_EQ(bus().statistics().events, 2);
}

TEST_P(PurgeContract, TakesTheDeadAfterTheirRetentionAndThenTheirEvents) {
  subscribe("h");
  publish_type("order.paid");
  clock().advance(kMonth);
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  clock().advance(kMonth - 1s);
  EXPECT_EQ(purge_all().dead, 0);

  clock().advance(2s);

  EXPECT_EQ(purge_all().dead, 1);
  purge_all();
  EXPECT_THAT(list(), IsEmpty());
  EXPECT_EQ(bus().statistics().events, 0);
}

TEST_P(PurgeContract, NeverTakesWorkThatIsNotDone) {
  subscribe("h");
  publish_many(3);
  const std::vector<Work> running = claim({.limit = 1, .lease = std::chrono::days{1'000}}).work;
  ASSERT_THAT(running, SizeIs(1));
  clock().advance(std::chrono::days{400});

  const Purged purged = purge_all();

  EXPECT_EQ(purged.events + purged.dead, 0);
  EXPECT_THAT(list(), SizeIs(3));
  EXPECT_EQ(complete(running[0].token), Verdict::done);
}

TEST_P(PurgeContract, KeepsToItsLimitAndSaysThatThereIsMore) {
  publish_many(25);
  clock().advance(kWeek + 1s);

  const Purged first = bus().purge({}, 10);
  EXPECT_EQ(first.events, 10);
  EXPECT_TRUE(first.more);

  EXPECT_EQ(purge_all().events, 15);
}

TEST_P(PurgeContract, TakesKeysThatNobodyUses) {
  subscribe("h");
  for (int i = 0; i < 50; ++i) publish(keyed("one-off-" + std::to_string(i)));
  for (const Work& work : claim({.limit = 100}).work) {
    EXPECT_EQ(complete(work.token), Verdict::done);
  }
  clock().advance(kWeek + 1s);

  EXPECT_EQ(purge_all().keys, 50);
  EXPECT_EQ(purge_all().keys, 0);
}

TEST_P(PurgeContract, KeepsKeysThatHaveADeliveryOrWereUsedLately) {
  subscribe("h");
  publish(keyed("waits"));
  clock().advance(kWeek + 1s);
  publish(keyed("fresh"));

  EXPECT_EQ(purge_all().keys, 0);
}

TEST_P(PurgeContract, DoesNotLetADeadDeliveryLoseItsPlaceInTheOrder) {
  subscribe("h");
  const std::vector<EventId> old = publish_key("k", 5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(complete(claim_one().token), Verdict::done);
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  clock().advance(kWeek + 1s);
  purge_all();
  const EventId fresh = publish(keyed("k")).id;
  EXPECT_EQ(requeue_all(), 1);

  const std::vector<EventId> order = ids_of(claim({.run_limit = 5}).work);

  EXPECT_THAT(order, ::testing::ElementsAre(old[4], fresh));
}

TEST_P(PurgeContract, LetsAPurgedKeyBeginAgain) {
  subscribe("h");
  publish(keyed("k"));
  EXPECT_EQ(complete(claim_one().token), Verdict::done);
  clock().advance(kWeek + 1s);
  purge_all();

  const std::vector<EventId> ids = publish_key("k", 2);

  EXPECT_THAT(ids_of(claim({.run_limit = 5}).work), ::testing::ElementsAreArray(ids));
}

// Why retention must exceed the redelivery window of a broker.
TEST_P(PurgeContract, MakesARedeliveredIdANewEvent) {
  subscribe("h");
  const Event event{.type = "order.paid", .id = event_id(1)};
  publish(event);
  EXPECT_EQ(complete(claim_one().token), Verdict::done);
  EXPECT_EQ(publish(event).status, PublishStatus::duplicate);
  clock().advance(kWeek + 1s);
  purge_all();

  EXPECT_EQ(publish(event).status, PublishStatus::created);

  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(PurgeContract, TakesItsRetentionFromTheCall) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  clock().advance(2h);

  EXPECT_EQ(purge_all({.completed = 1h, .dead = 3h}).dead, 0);
  EXPECT_EQ(purge_all({.completed = 1h, .dead = 1h}).dead, 1);
}

}  // namespace penstock::contract
