// publish: all or nothing, one delivery for each subscribed handler, harmless when repeated.
#include "contract/contract.hpp"
#include "support/scale.hpp"
#include "work/lane_hash.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_P(PublishContract, GivesEverySubscribedHandlerADeliveryOfItsOwn) {
  subscribe("mail");
  subscribe("ledger");

  const Published published = publish({.type = "order.paid"});

  EXPECT_EQ(published.status, PublishStatus::created);
  EXPECT_THAT(published.handlers, UnorderedElementsAre("ledger", "mail"));
  EXPECT_EQ(claimed_count({.handlers = {"mail"}}), 1U);
  relinquish("worker-a");
}

TEST_P(PublishContract, StoresAnEventThatNobodyWants) {
  subscribe("h", "refund.*");

  const Published published = publish({.type = "order.paid"});

  EXPECT_EQ(published.status, PublishStatus::created);
  EXPECT_THAT(published.handlers, IsEmpty());
  EXPECT_EQ(bus().statistics().events, 1);
  EXPECT_THAT(list(), IsEmpty());
}

TEST_P(PublishContract, OfNothingIsNothing) { EXPECT_THAT(bus().publish({}, nullptr), IsEmpty()); }

TEST_P(PublishContract, AnswersForEachEventInOrder) {
  subscribe("h", "b");
  const std::vector<Event> events = {{.type = "a", .id = event_id(1)},
                                     {.type = "b", .id = event_id(2)},
                                     {.type = "a", .id = event_id(3)}};

  const std::vector<Published> published = bus().publish(events, nullptr);

  ASSERT_THAT(published, SizeIs(3));
  EXPECT_EQ(published[0].id, event_id(1));
  EXPECT_THAT(published[0].handlers, IsEmpty());
  EXPECT_EQ(published[1].id, event_id(2));
  EXPECT_THAT(published[1].handlers, ElementsAre("h"));
  EXPECT_EQ(published[2].id, event_id(3));
}

TEST_P(PublishContract, DrawsAnIdWhereThereIsNone) {
  subscribe("h");

  const std::vector<EventId> ids = publish_many(2);

  EXPECT_NE(ids.at(0), ids.at(1));
  EXPECT_EQ(show(ids.at(0)).event_id, ids.at(0));
}

TEST_P(PublishContract, HandsTheWholeEventToTheHandler) {
  subscribe("h");
  const Event event{.type = "order.paid",
                    .key = "order-42",
                    .payload = R"({"total": 12.5})",
                    .id = event_id(7),
                    .content_type = "application/x-order",
                    .headers = {{"trace", "abc"}, {"empty", ""}, {"quote", "'\";--"}}};
  publish(event);

  const Work work = claim_one();

  EXPECT_EQ(work.handler, "h");
  EXPECT_EQ(work.event->type, event.type);
  EXPECT_EQ(work.event->key, event.key);
  EXPECT_EQ(work.event->payload, event.payload);
  EXPECT_EQ(work.event->id, event.id);
  EXPECT_EQ(work.event->content_type, event.content_type);
  EXPECT_EQ(work.event->headers, event.headers);
  EXPECT_EQ(work.published_at, clock().now());
  EXPECT_EQ(work.attempts, 0);
  EXPECT_FALSE(work.suspect);
}

TEST_P(PublishContract, SaysSoWhereTheIdIsThereAlready) {
  subscribe("h");
  publish({.type = "order.paid", .id = event_id(1)});

  const Published again = publish({.type = "order.paid", .id = event_id(1)});

  EXPECT_EQ(again.status, PublishStatus::duplicate);
  EXPECT_THAT(again.handlers, IsEmpty());
  EXPECT_EQ(bus().statistics().events, 1);
  EXPECT_THAT(list(), SizeIs(1));
}

TEST_P(PublishContract, DoesNotRunACompletedHandlerAgainForARepeatedId) {
  subscribe("h");
  publish({.type = "order.paid", .id = event_id(1)});
  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  const Published again = publish({.type = "order.paid", .id = event_id(1)});

  EXPECT_THAT(again.handlers, IsEmpty());
  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(PublishContract, DoesNotReviveADeadDeliveryForARepeatedId) {
  subscribe("h");
  publish({.type = "order.paid", .id = event_id(1)});
  EXPECT_EQ(bury(claim_one().token), Verdict::done);

  publish({.type = "order.paid", .id = event_id(1)});

  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(show(event_id(1)).status, DeliveryStatus::dead);
}

TEST_P(PublishContract, AddsHandlersThatSubscribedSinceToARepeatedId) {
  subscribe("first");
  publish({.type = "order.paid", .id = event_id(1)});
  subscribe("second");

  const Published again = publish({.type = "order.paid", .id = event_id(1)});

  EXPECT_EQ(again.status, PublishStatus::duplicate);
  EXPECT_THAT(again.handlers, ElementsAre("second"));
  EXPECT_EQ(claimed_count({.handlers = {"second"}}), 1U);
}

TEST_P(PublishContract, AddsALateHandlerOnlyOnce) {
  subscribe("first");
  publish({.type = "order.paid", .id = event_id(1)});
  subscribe("second");
  publish({.type = "order.paid", .id = event_id(1)});

  EXPECT_THAT(publish({.type = "order.paid", .id = event_id(1)}).handlers, IsEmpty());
}

TEST_P(PublishContract, AsksTheStoredEventWhichLateHandlersMatch) {
  publish({.type = "order.paid", .id = event_id(1)});
  subscribe("h", "refund.made");

  const Published again = publish({.type = "refund.made", .id = event_id(1)});

  EXPECT_EQ(again.status, PublishStatus::duplicate);
  EXPECT_THAT(again.handlers, IsEmpty());
}

TEST_P(PublishContract, NeverChangesTheStoredEvent) {
  subscribe("first");
  publish({.type = "order.paid", .payload = "old", .id = event_id(1)});
  subscribe("second");
  publish({.type = "order.paid", .payload = "new", .id = event_id(1)});

  EXPECT_EQ(claim_one({.handlers = {"second"}}).event->payload, "old");
}

TEST_P(PublishContract, TakesOneOfTwoEqualIdsInOneBatch) {
  subscribe("h");
  const std::vector<Event> events = {{.type = "order.paid", .payload = "one", .id = event_id(1)},
                                     {.type = "order.paid", .payload = "two", .id = event_id(1)}};

  const std::vector<Published> published = bus().publish(events, nullptr);

  EXPECT_EQ(published.at(0).status, PublishStatus::created);
  EXPECT_THAT(published.at(0).handlers, ElementsAre("h"));
  EXPECT_EQ(published.at(1).status, PublishStatus::duplicate);
  EXPECT_THAT(published.at(1).handlers, IsEmpty());
  EXPECT_EQ(claim_one().event->payload, "one");
}

TEST_P(PublishContract, TakesOneOfTwoEqualIdsInOneTransaction) {
  subscribe("h");
  const Event event{.type = "order.paid", .id = event_id(1)};
  const auto transaction = bus().begin();

  const Published first = bus().publish({&event, 1}, transaction.get()).at(0);
  const Published second = bus().publish({&event, 1}, transaction.get()).at(0);
  transaction->commit();

  EXPECT_EQ(first.status, PublishStatus::created);
  EXPECT_EQ(second.status, PublishStatus::duplicate);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(PublishContract, StoresNothingWhereOneEventOfTheBatchIsWrong) {
  subscribe("h");
  const std::vector<Event> events = {{.type = "order.paid"}, {.type = ""}, {.type = "order.paid"}};

  const auto refusal = refusal_of([&] { bus().publish(events, nullptr); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(bus().statistics().events, 0);
}

TEST_P(PublishContract, PutsAKeyIntoTheLaneOfItsHash) {
  subscribe("h");

  const EventId id = publish(keyed("order-42")).id;

  EXPECT_EQ(show(id).lane, LaneId{244});
}

TEST_P(PublishContract, PutsAKeylessEventIntoTheLaneOfItsCanonicalId) {
  subscribe("h");

  const EventId id = publish({.type = "order.paid", .id = event_id(42)}).id;

  EXPECT_EQ(show(id).lane, work::lane_of("01900000-0000-7000-8000-00000000002a"));
}

TEST_P(PublishContract, MakesWorkDueAtOnce) {
  subscribe("h");

  const EventId id = publish_type("order.paid");

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::pending);
  EXPECT_EQ(info.available_at, clock().now());
  EXPECT_EQ(info.created_at, clock().now());
  EXPECT_EQ(info.attempts, 0);
  EXPECT_EQ(info.last_error, "");
}

TEST_P(PublishContract, KeepsTimesInTheYear2100) {
  subscribe("h");
  const Timestamp far = std::chrono::sys_days{std::chrono::year{2100} / 6 / 1};
  clock().advance(far - clock().now());

  const EventId id = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, std::chrono::days{365}), Verdict::done);

  EXPECT_EQ(show(id).created_at, far);
  EXPECT_EQ(show(id).available_at, far + std::chrono::days{365});
  EXPECT_EQ(claimed_count(), 0U);
  clock().advance(std::chrono::days{365});
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(PublishContract, NumbersDeliveriesBeyond32Bits) {
  subscribe("h");
  const std::int64_t big = 3'000'000'000;
  const bool is_set = fixture().set_next_delivery_id(big);
  const std::vector<EventId> ids = publish_many(3);

  const std::vector<Work> work = claim().work;

  ASSERT_THAT(work, SizeIs(3));
  EXPECT_TRUE(!is_set || work[0].token.work_id >= big);
  EXPECT_EQ(release(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[1].token, 0s), Verdict::done);
  EXPECT_EQ(bury(work[2].token), Verdict::done);
  EXPECT_EQ(requeue_all(), 1);
  const std::vector<Work> again = claim().work;
  EXPECT_THAT(bus().complete(tokens_of(again), nullptr),
              ElementsAre(Verdict::done, Verdict::done, Verdict::done));
}

// Known fault 3.
TEST_P(PublishContract, StoresAHugeBatchInOneTransactionOrNothingOfIt) {
  for (const char* handler : {"one", "two", "three"}) subscribe(handler);
  const std::size_t size = test::scaled(200'000);
  const std::vector<Event> events(size, Event{.type = "order.paid", .payload = "x"});

  {
    const auto transaction = bus().begin();
    bus().publish(events, transaction.get());
    transaction->commit();
  }
  EXPECT_EQ(bus().statistics().events, static_cast<std::int64_t>(size));
  EXPECT_EQ(statistics_of("three").pending, static_cast<std::int64_t>(size));
  {
    const auto transaction = bus().begin();
    bus().publish(events, transaction.get());
  }
  EXPECT_EQ(bus().statistics().events, static_cast<std::int64_t>(size));
  EXPECT_EQ(statistics_of("one").pending, static_cast<std::int64_t>(size));
}

// Known fault 15: only the clock of the store counts.
TEST_P(PublishContract, IsDueByTheClockOfTheStore) {
  subscribe("h");
  clock().advance(-1h);
  const EventId early = publish_type("order.paid");
  EXPECT_EQ(claimed_count(), 1U);

  clock().advance(2h);
  publish_type("order.paid");

  EXPECT_EQ(show(early).created_at + 2h, clock().now());
  EXPECT_GE(claimed_count(), 1U);
}

}  // namespace penstock::contract
