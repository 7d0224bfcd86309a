// Durability: what a call reported as done is there after the store was closed and opened again.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

// A store that is not durable has no business with this suite.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DurableContract);

TEST_P(DurableContract, KeepsEventsDeliveriesAndSubscriptions) {
  subscribe("h", "order.*", 7);
  const EventId id = publish(keyed("k", "body")).id;

  fixture().reopen();

  EXPECT_EQ(bus().subscriptions().at(0).max_attempts, 7);
  EXPECT_EQ(show(id).event->payload, "body");
  EXPECT_EQ(claim_one().event->id, id);
}

TEST_P(DurableContract, KeepsCompletionsRetriesAndDeadLetters) {
  subscribe("h");
  publish_many(3);
  const std::vector<Work> work = claim().work;
  ASSERT_THAT(work, SizeIs(3));
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[1].token, 1h, "later"), Verdict::done);
  EXPECT_EQ(bury(work[2].token, "never"), Verdict::done);

  fixture().reopen();

  EXPECT_THAT(list(), SizeIs(2));
  EXPECT_EQ(show(*work[1].event->id).last_error, "later");
  EXPECT_EQ(show(*work[1].event->id).attempts, 1);
  EXPECT_EQ(show(*work[2].event->id).status, DeliveryStatus::dead);
}

TEST_P(DurableContract, KeepsLeasesAndTheirTokens) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;

  fixture().reopen();

  EXPECT_EQ(show(id).status, DeliveryStatus::in_flight);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(DurableContract, TakesOverAfterARestart) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;
  fixture().reopen();
  clock().advance(31s);

  const Work again = claim_one({.worker = "worker-b", .suspects = SuspectPolicy::take_alone});

  EXPECT_EQ(again.attempts, 1);
  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(bus().statistics().takeovers, 1);
}

TEST_P(DurableContract, KeepsTheOrderOfAKey) {
  subscribe("h");
  std::vector<EventId> ids = publish_key("k", 2);
  fixture().reopen();
  for (const EventId& id : publish_key("k", 2)) ids.push_back(id);

  EXPECT_THAT(ids_of(claim({.run_limit = 10}).work), ElementsAreArray(ids));
}

TEST_P(DurableContract, RemembersWhichHandlersAnEventHad) {
  subscribe("h");
  publish({.type = "order.paid", .id = event_id(1)});
  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  fixture().reopen();

  EXPECT_EQ(publish({.type = "order.paid", .id = event_id(1)}).status, PublishStatus::duplicate);
  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(DurableContract, NeverUsesADeliveryIdAgain) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(complete(token), Verdict::done);
  fixture().reopen();
  publish_type("order.paid");

  EXPECT_GT(claim_one().token.work_id, token.work_id);
}

TEST_P(DurableContract, KeepsAPause) {
  subscribe("h");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  fixture().reopen();

  EXPECT_TRUE(bus().subscriptions().at(0).paused);
}

}  // namespace penstock::contract
