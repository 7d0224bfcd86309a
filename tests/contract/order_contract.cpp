// Order: the deliveries of one handler and key run in commit order, one at a time.
#include <map>
#include <string>

#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(OrderContract, TakesTheDeliveriesOfAKeyOneByOneInOrder) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 5);

  std::vector<EventId> seen;
  for (int i = 0; i < 5; ++i) {
    const Work work = claim_one();
    seen.push_back(*work.event->id);
    EXPECT_EQ(claimed_count(), 0U) << "one of a key at a time";
    EXPECT_EQ(complete(work.token), Verdict::done);
  }

  EXPECT_THAT(seen, ElementsAreArray(ids));
}

TEST_P(OrderContract, FollowsTheOrderWithinABatch) {
  subscribe("h");
  const std::vector<Event> events = {keyed("k", "0"), keyed("k", "1"), keyed("k", "2")};
  bus().publish(events, nullptr);

  const std::vector<Work> work = claim({.run_limit = 3}).work;

  ASSERT_THAT(work, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(work[i].event->payload, std::to_string(i));
}

TEST_P(OrderContract, NumbersTheDeliveriesOfAKey) {
  subscribe("h");
  publish_key("k", 3);
  publish_type("order.paid");

  std::optional<std::int64_t> last;
  for (const Work& work : claim({.run_limit = 3}).work) {
    EXPECT_EQ(work.sequence.has_value(), work.event->key.has_value());
    if (!work.sequence) continue;
    EXPECT_GT(*work.sequence, last.value_or(-1)) << "in order";
    last = work.sequence;
  }
  EXPECT_TRUE(last);
}

TEST_P(OrderContract, TakesRunsUpToTheirLimit) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 5);

  EXPECT_THAT(ids_of(claim({.run_limit = 3}).work), ElementsAre(ids[0], ids[1], ids[2]));
  EXPECT_EQ(claimed_count({.run_limit = 3}), 0U);
}

TEST_P(OrderContract, CutsRunsAtTheLimitOfTheClaimAndAtTheRoomOfTheHandler) {
  subscribe("h");
  publish_key("k", 5);

  const std::vector<Work> two = claim({.limit = 2, .run_limit = 5}).work;
  EXPECT_THAT(two, SizeIs(2));
  EXPECT_THAT(bus().release(tokens_of(two)), SizeIs(2));
  EXPECT_EQ(claimed_count({.run_limit = 5, .room = 3}), 3U);
}

TEST_P(OrderContract, TakesRunsOfSeveralKeysOfOneLane) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  for (int i = 0; i < 3; ++i) {
    for (const std::string& key : keys) publish(keyed(key, std::to_string(i)));
  }

  std::map<std::string, std::vector<std::string>> seen;
  for (const Work& work : claim({.run_limit = 3}).work) {
    seen[*work.event->key].push_back(work.event->payload);
  }

  EXPECT_THAT(seen[keys[0]], ElementsAre("0", "1", "2"));
  EXPECT_THAT(seen[keys[1]], ElementsAre("0", "1", "2"));
}

TEST_P(OrderContract, WaitsForTheWholeRun) {
  subscribe("h");
  publish_key("k", 3);
  const std::vector<Work> run = claim({.run_limit = 2}).work;
  ASSERT_THAT(run, SizeIs(2));
  EXPECT_EQ(complete(run[0].token), Verdict::done);

  EXPECT_EQ(claimed_count(), 0U);

  EXPECT_EQ(complete(run[1].token), Verdict::done);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(OrderContract, IsPerHandler) {
  subscribe("h");
  subscribe("other");
  publish_key("k", 2);
  const Work held = claim_one({.handlers = {"h"}});

  const Work first = claim_one({.handlers = {"other", "h"}});
  EXPECT_EQ(first.handler, "other");
  EXPECT_EQ(complete(first.token), Verdict::done);

  EXPECT_EQ(claim_one({.handlers = {"other", "h"}}).handler, "other");
  EXPECT_EQ(complete(held.token), Verdict::done);
}

// Known fault 33.
TEST_P(OrderContract, LetsOtherKeysFlow) {
  subscribe("h");
  const EventId blocked = publish_key("k", 2).at(1);
  for (int i = 0; i < 49; ++i) publish(keyed("other-" + std::to_string(i)));

  const std::vector<Work> work = claim({.limit = 51}).work;

  EXPECT_THAT(work, SizeIs(50));
  for (const Work& one : work) EXPECT_NE(one.event->id, blocked);
}

// Known fault 67: later ones wait while an earlier one retries …
TEST_P(OrderContract, HoldsThroughRetries) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  for (int i = 0; i < 3; ++i) {
    const Work work = claim_one();
    EXPECT_EQ(work.event->id, ids[0]);
    EXPECT_EQ(retry(work.token, 10s), Verdict::done);
    EXPECT_EQ(claimed_count(), 0U);
    clock().advance(10s);
  }

  EXPECT_THAT(ids_of(claim({.run_limit = 3}).work), ElementsAreArray(ids));
}

// … flow once it is dead …
TEST_P(OrderContract, IsNotBlockedByTheDead) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 2);
  EXPECT_EQ(bury(claim_one().token), Verdict::done);

  EXPECT_EQ(claim_one().event->id, ids[1]);
}

// … and wait again once it is requeued.
TEST_P(OrderContract, GivesARequeuedDeliveryItsOldPlace) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  EXPECT_EQ(requeue_all(), 1);

  EXPECT_THAT(ids_of(claim({.run_limit = 3}).work), ElementsAreArray(ids));
}

TEST_P(OrderContract, LetsARequeuedDeliveryWaitForWhatIsInFlight) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  const Work second = claim_one();
  EXPECT_EQ(requeue_all(), 1);

  EXPECT_EQ(claimed_count(), 0U);

  EXPECT_EQ(complete(second.token), Verdict::done);
  EXPECT_EQ(claim_one().event->id, ids[0]);
}

TEST_P(OrderContract, HoldsThroughASnoozeAndARelease) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 2);

  EXPECT_EQ(snooze(claim_one().token, 10s), Verdict::done);
  EXPECT_EQ(claimed_count(), 0U);
  clock().advance(10s);
  EXPECT_EQ(release(claim_one().token), Verdict::done);

  EXPECT_EQ(claim_one().event->id, ids[0]);
}

TEST_P(OrderContract, HoldsAcrossATakeover) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  const Token lost = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  const ClaimWish wish{.worker = "worker-b", .suspects = SuspectPolicy::take_alone};

  const Work again = claim_one(wish);

  EXPECT_EQ(again.event->id, ids[0]);
  EXPECT_EQ(complete(lost), Verdict::lost);
  EXPECT_EQ(claimed_count(wish), 0U);
  EXPECT_EQ(complete(again.token), Verdict::done);
  EXPECT_EQ(claim_one(wish).event->id, ids[1]);
}

TEST_P(OrderContract, GoesOnWhereAnOperatorBuriedTheRunningOne) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 2);
  const Token running = claim_one().token;
  EXPECT_EQ(bus().bury_selected({.event_id = ids[0]}, "operator"), 1);

  EXPECT_EQ(claim_one().event->id, ids[1]);
  EXPECT_EQ(complete(running), Verdict::lost);
}

TEST_P(OrderContract, IsTheOrderOfCommitsAcrossTransactions) {
  subscribe("h");
  const std::vector<Event> events = {keyed("other", "x"), keyed("k", "first"),
                                     keyed("k", "second")};
  const auto transaction = bus().begin();
  bus().publish(events, transaction.get());
  transaction->commit();
  publish(keyed("k", "third"));

  std::vector<std::string> seen;
  for (const Work& work : claim({.run_limit = 5}).work) {
    if (work.event->key == "k") seen.push_back(work.event->payload);
  }

  EXPECT_THAT(seen, ElementsAre("first", "second", "third"));
}

TEST_P(OrderContract, KeepsALateHandlersDeliveriesInOrder) {
  subscribe("first");
  std::vector<Event> events = {keyed("k", "0"), keyed("k", "1")};
  events[0].id = event_id(1);
  events[1].id = event_id(2);
  bus().publish(events, nullptr);
  subscribe("late");
  bus().publish(events, nullptr);
  publish(keyed("k", "2"));

  std::vector<std::string> seen;
  for (const Work& work : claim({.handlers = {"late"}, .run_limit = 5}).work) {
    seen.push_back(work.event->payload);
  }

  EXPECT_THAT(seen, ElementsAre("0", "1", "2"));
}

TEST_P(OrderContract, EndsARunAtADeliveryThatIsNotDue) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 3);
  const std::vector<Work> run = claim({.run_limit = 2}).work;
  ASSERT_THAT(run, SizeIs(2));
  EXPECT_EQ(release(run[0].token), Verdict::done);
  EXPECT_EQ(snooze(run[1].token, 10s), Verdict::done);

  EXPECT_THAT(ids_of(claim({.run_limit = 3}).work), ElementsAre(ids[0]));
}

TEST_P(OrderContract, IsNotPromisedWithoutAKeyNorBrokenByTheMissingOne) {
  subscribe("h");
  publish_many(20);

  EXPECT_EQ(claimed_count({.limit = 100}), 20U) << "keyless deliveries do not wait for each other";
}

}  // namespace penstock::contract
