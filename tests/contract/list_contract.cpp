// list: what an operator sees, page by page, each stable row exactly once.
#include <algorithm>
#include <set>

#include "contract/contract.hpp"
#include "support/scale.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(ListContract, ShowsEveryFieldOfADelivery) {
  subscribe("h");
  const Timestamp published_at = clock().now();
  const EventId id = publish(keyed("order-42", "body")).id;
  clock().advance(1s);
  EXPECT_EQ(retry(claim_one().token, 10s, "it failed"), Verdict::done);

  const DeliveryInfo info = show(id);

  EXPECT_GT(info.id, DeliveryId{});
  EXPECT_EQ(info.event_id, id);
  EXPECT_EQ(info.handler, "h");
  EXPECT_EQ(info.type, "order.paid");
  EXPECT_EQ(info.key, "order-42");
  EXPECT_TRUE(info.sequence);
  EXPECT_EQ(info.lane, LaneId{244});
  EXPECT_EQ(info.status, DeliveryStatus::pending);
  EXPECT_EQ(info.attempts, 1);
  EXPECT_FALSE(info.suspect);
  EXPECT_EQ(info.available_at, published_at + 11s);
  EXPECT_EQ(info.created_at, published_at);
  EXPECT_EQ(info.updated_at, published_at + 1s);
  EXPECT_EQ(info.last_error, "it failed");
  EXPECT_EQ(info.lease_owner, std::nullopt);
  EXPECT_EQ(info.lease_expires_at, std::nullopt);
  ASSERT_TRUE(info.event);
  EXPECT_EQ(info.event->payload, "body");
}

TEST_P(ListContract, BringsEventsOnlyWhereAsked) {
  subscribe("h");
  publish_type("order.paid");

  EXPECT_FALSE(list({.detail = Detail::summary}).at(0).event);
  EXPECT_TRUE(list({.detail = Detail::with_event}).at(0).event);
}

TEST_P(ListContract, SaysItsTime) { EXPECT_EQ(bus().list({}).at, clock().now()); }

TEST_P(ListContract, FiltersByStatus) {
  subscribe("h");
  publish_many(6);
  const std::vector<Work> work = claim({.limit = 3}).work;
  ASSERT_THAT(work, SizeIs(3));
  EXPECT_EQ(bury(work[0].token), Verdict::done);

  EXPECT_EQ(count(DeliveryStatus::pending), 3U);
  EXPECT_EQ(count(DeliveryStatus::in_flight), 2U);
  EXPECT_EQ(count(DeliveryStatus::dead), 1U);
  EXPECT_EQ(count(DeliveryStatus::completed), 0U);
  EXPECT_THAT(list(), SizeIs(6));
}

TEST_P(ListContract, FiltersByEveryField) {
  subscribe("h");
  subscribe("other", "a");
  const EventId a = publish({.type = "a", .key = "k"}).id;
  publish({.type = "b"});
  const DeliveryId delivery = show(a, "other").id;

  EXPECT_THAT(list({.handler = "h"}), SizeIs(2));
  EXPECT_THAT(list({.type = "a"}), SizeIs(2));
  EXPECT_THAT(list({.key = "k"}), SizeIs(2));
  EXPECT_THAT(list({.event_id = a}), SizeIs(2));
  EXPECT_THAT(list({.delivery_id = delivery}), SizeIs(1));
  EXPECT_THAT(list({.handler = "h", .type = "a", .key = "k", .event_id = a}), SizeIs(1));
  EXPECT_THAT(list({.handler = "h", .delivery_id = delivery}), IsEmpty());
  EXPECT_THAT(list({.type = "a.*"}), IsEmpty()) << "types are exact here";
  EXPECT_THAT(list({.handler = "nobody"}), IsEmpty());
}

TEST_P(ListContract, IsAscendingById) {
  subscribe("h");
  publish_many(25);

  const std::vector<DeliveryInfo> items = list({.limit = 4});

  ASSERT_THAT(items, SizeIs(25));
  EXPECT_TRUE(std::ranges::is_sorted(items, std::ranges::less{}, &DeliveryInfo::id));
}

TEST_P(ListContract, NeedsALimit) {
  const auto refusal = refusal_of([&] { static_cast<void>(bus().list({.limit = 0})); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "limit");
}

TEST_P(ListContract, EndsAtALastPageThatIsFull) {
  subscribe("h");
  publish_many(10);

  const DeliveryPage first = bus().list({.limit = 10});

  EXPECT_THAT(first.items, SizeIs(10));
  if (first.next) {
    EXPECT_THAT(bus().list({.after = *first.next}).items, IsEmpty()) << "the end";
  }
}

// Known fault 121.
TEST_P(ListContract, ShowsEachStableRowOnceWhileOthersComeAndGo) {
  subscribe("stable", "stable");
  subscribe("h", "passing");
  const std::size_t size = test::scaled(10'000);
  const std::vector<Event> stable(size, Event{.type = "stable"});
  const std::vector<Event> passing(5, Event{.type = "passing"});
  std::set<EventId> published;
  for (std::size_t i = 0; i < size; i += 10) {
    bus().publish(passing, nullptr);
    const auto batch = std::span(stable).subspan(i, std::min<std::size_t>(10, size - i));
    for (const Published& one : bus().publish(batch, nullptr)) published.insert(one.id);
  }

  std::multiset<EventId> seen;
  ListQuery query{.limit = 25};
  while (true) {
    const DeliveryPage page = bus().list(query);
    for (const DeliveryInfo& item : page.items) {
      if (item.handler == "stable") seen.insert(item.event_id);
    }
    if (!page.next) break;
    query.after = *page.next;
    for (const Work& work : claim({.limit = 20}).work) {
      EXPECT_EQ(complete(work.token), Verdict::done);
    }
    if (seen.size() < size / 2) bus().publish(passing, nullptr);
  }

  EXPECT_EQ(seen.size(), size);
  EXPECT_EQ(std::set<EventId>(seen.begin(), seen.end()), published);
}

TEST_P(ListContract, HasNoOwnerForWorkThatWaits) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(release(claim_one().token), Verdict::done);

  EXPECT_EQ(show(id).lease_owner, std::nullopt);
  EXPECT_EQ(show(id).lease_expires_at, std::nullopt);
}

}  // namespace penstock::contract
