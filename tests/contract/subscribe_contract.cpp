// subscribe and set_subscription_state: who gets which events, durably, by name.
#include <algorithm>

#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(SubscribeContract, DeliversNothingThatWasPublishedBefore) {
  publish_type("order.paid");

  subscribe("h");

  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(SubscribeContract, TakesAnExactType) {
  subscribe("h", "order.paid");

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, ElementsAre("h"));
  EXPECT_THAT(publish({.type = "order.paid.late"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "order.pai"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "Order.paid"}).handlers, IsEmpty());
}

TEST_P(SubscribeContract, TakesOneOrMoreFurtherSegments) {
  subscribe("h", "order.*");

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, ElementsAre("h"));
  EXPECT_THAT(publish({.type = "order.paid.late"}).handlers, ElementsAre("h"));
  EXPECT_THAT(publish({.type = "order"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "orders.paid"}).handlers, IsEmpty());
}

TEST_P(SubscribeContract, TreatsNoOtherCharacterAsAWildcard) {
  subscribe("under", "order_paid");
  subscribe("percent", "order%.*");
  subscribe("question", "order?paid");

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "orderXpaid"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "order_paid"}).handlers, ElementsAre("under"));
  EXPECT_THAT(publish({.type = "order%.x"}).handlers, ElementsAre("percent"));
}

TEST_P(SubscribeContract, TakesEverythingByAStar) {
  subscribe("h");

  EXPECT_THAT(publish({.type = "x"}).handlers, ElementsAre("h"));
  EXPECT_THAT(publish({.type = "x.y.z"}).handlers, ElementsAre("h"));
}

TEST_P(SubscribeContract, GivesOneDeliveryWhereSeveralPatternsMatch) {
  bus().subscribe({.handler = "h", .types = {"order.*", "order.paid", "*"}});

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, ElementsAre("h"));
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(SubscribeContract, ReplacesThePatternsOfAName) {
  subscribe("h", "order.paid");
  subscribe("h", "refund.made", 7);

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, IsEmpty());
  EXPECT_THAT(publish({.type = "refund.made"}).handlers, ElementsAre("h"));
  const std::vector<Subscription> all = bus().subscriptions();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].types, ElementsAre("refund.made"));
  EXPECT_EQ(all[0].max_attempts, 7);
}

TEST_P(SubscribeContract, KeepsDeliveriesOfPatternsThatWereReplaced) {
  subscribe("h", "order.paid");
  publish_type("order.paid");

  subscribe("h", "refund.made");

  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(SubscribeContract, KeepsAHandlerPaused) {
  subscribe("h");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  subscribe("h");
  publish_type("order.paid");

  EXPECT_TRUE(bus().subscriptions().at(0).paused);
  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(SubscribeContract, DoesNotPauseByItself) {
  bus().subscribe({.handler = "h", .types = {"*"}, .paused = true});

  EXPECT_FALSE(bus().subscriptions().at(0).paused);
}

TEST_P(SubscribeContract, ListsByName) {
  for (const char* name : {"c", "a", "b"}) subscribe(name);

  const std::vector<Subscription> all = bus().subscriptions();

  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].handler, "a");
  EXPECT_EQ(all[1].handler, "b");
  EXPECT_EQ(all[2].handler, "c");
}

TEST_P(SubscribeContract, PausedHandlersStillGetDeliveries) {
  subscribe("h");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, ElementsAre("h"));

  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::active), Verdict::done);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(SubscribeContract, PauseLetsRunningWorkFinish) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;

  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  EXPECT_EQ(extend(token), Verdict::done);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(SubscribeContract, RemovedHandlersGetNothingMoreAndKeepWhatTheyHave) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);

  EXPECT_THAT(publish({.type = "order.paid"}).handlers, IsEmpty());
  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_THAT(bus().subscriptions(), IsEmpty());
}

TEST_P(SubscribeContract, ARemovedHandlerComesBackActive) {
  subscribe("h");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);

  subscribe("h");

  EXPECT_FALSE(bus().subscriptions().at(0).paused);
}

TEST_P(SubscribeContract, StateOfAnUnknownHandlerIsLost) {
  for (const auto state :
       {SubscriptionState::active, SubscriptionState::paused, SubscriptionState::removed}) {
    EXPECT_EQ(bus().set_subscription_state("nobody", state), Verdict::lost);
  }
  EXPECT_THAT(bus().subscriptions(), IsEmpty());
}

// Known fault 127: names are stored as they are, whatever they look like.
TEST_P(SubscribeContract, TakesNamesThatLookLikeStatements) {
  const std::vector<std::string> names = {"'; drop table penstock_events; --",
                                          "\"quoted\"",
                                          "$$dollar$$",
                                          "new\nline",
                                          "100% _under_",
                                          "日本",
                                          R"([1,"two"])",
                                          "back\\slash"};
  for (const std::string& name : names) {
    std::string type = name;
    std::ranges::replace(type, '\n', ' ');  // No type has control characters.
    subscribe(name, type);
    const EventId id = publish({.type = type, .key = name, .payload = "{}"}).id;

    const Work work = claim_one({.handlers = {name}});
    EXPECT_EQ(work.handler, name);
    EXPECT_EQ(work.event->key, name);
    EXPECT_EQ(retry(work.token, 1h, name), Verdict::done);
    EXPECT_EQ(show(id, name).last_error, name);
    EXPECT_THAT(list({.key = name}), SizeIs(1));
    EXPECT_EQ(bus().bury_selected({.handler = name}, name), 1);
  }
}

}  // namespace penstock::contract
