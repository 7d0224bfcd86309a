// Takeover: the work of a silent worker goes on elsewhere, and the crash is paid for.
#include "contract/contract.hpp"
#include "work/delivery_state.hpp"

namespace penstock::contract {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_P(TakeoverContract, DoesNotHappenBeforeTheLeaseRunsOut) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a", .lease = 30s}).token;
  clock().advance(30s - 1us);

  EXPECT_EQ(claimed_count({.worker = "worker-b", .suspects = SuspectPolicy::take_alone}), 0U);

  EXPECT_EQ(extend(token), Verdict::done);
}

// Known fault 17.
TEST_P(TakeoverContract, GivesEverythingThatWasInFlightToAnotherWorker) {
  subscribe("h");
  publish_many(20);
  ASSERT_THAT(crash({.worker = "worker-a", .limit = 100, .lease = 10s}), SizeIs(20));

  std::size_t handled = 0;
  for (int i = 0; i < 20; ++i) {
    const ClaimWish alone{.worker = "worker-b", .suspects = SuspectPolicy::take_alone};
    for (const Work& work : claim(alone).work) {
      EXPECT_EQ(complete(work.token), Verdict::done);
      ++handled;
    }
  }

  EXPECT_EQ(handled, 20U);
}

TEST_P(TakeoverContract, ChargesOneAttemptAndSaysWhy) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  crash_and_take_over({});

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::pending);
  EXPECT_EQ(info.attempts, 1);
  EXPECT_TRUE(info.suspect);
  EXPECT_THAT(info.last_error, HasSubstr("worker lost"));
}

TEST_P(TakeoverContract, ChargesNothingForWorkThatWasCompleted) {
  subscribe("h");
  const std::vector<EventId> ids = publish_many(2);
  const std::vector<Work> work = claim().work;
  ASSERT_THAT(work, SizeIs(2));
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  clock().advance(31s);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_THAT(list(), SizeIs(1));
  EXPECT_EQ(show(*work[1].event->id).attempts, 1);
}

TEST_P(TakeoverContract, ChargesNothingForWorkThatWasOnlyWaiting) {
  subscribe("h");
  const std::vector<EventId> ids = publish_key("k", 2);

  crash_and_take_over({});

  EXPECT_EQ(show(ids[0]).attempts, 1);
  EXPECT_EQ(show(ids[1]).attempts, 0);
  EXPECT_FALSE(show(ids[1]).suspect);
}

TEST_P(TakeoverContract, TakesALeaseFromItsOwnWorkerToo) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);

  EXPECT_EQ(claimed_count({.worker = "worker-a"}), 0U);

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(show(id).attempts, 1);
}

TEST_P(TakeoverContract, LeavesLeasesThatAreExtended) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;

  for (int i = 0; i < 5; ++i) {
    clock().advance(29s);
    EXPECT_EQ(extend(token, 30s), Verdict::done);
    EXPECT_EQ(claimed_count({.worker = "worker-b", .suspects = SuspectPolicy::take_alone}), 0U);
  }

  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(TakeoverContract, IsCounted) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(bus().statistics().takeovers, 0);

  crash_and_take_over({});

  EXPECT_EQ(bus().statistics().takeovers, 1);
}

TEST_P(TakeoverContract, OfALeaseThatRanNothingIsNotCounted) {
  subscribe("h");
  publish_key("k", 2);
  EXPECT_EQ(complete(claim_one({.worker = "worker-a"}).token), Verdict::done);
  clock().advance(31s);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 1U);

  EXPECT_EQ(bus().statistics().takeovers, 0);
}

TEST_P(TakeoverContract, RaisesTheEpoch) {
  subscribe("h");
  publish_type("order.paid");
  const std::vector<Work> work = claim().work;
  const Epoch before = bus().statistics().lanes.at(0).epoch;
  clock().advance(31s);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_GT(bus().statistics().lanes.at(0).epoch, before);
}

TEST_P(TakeoverContract, ShowsACrashedDeliveryAsInFlightUntilItHappens) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  crash({.worker = "worker-a"});

  EXPECT_EQ(show(id).status, DeliveryStatus::in_flight);
  EXPECT_LT(show(id).lease_expires_at, clock().now());

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
}

// Known fault 47: "keeps counting attempts of a poison delivery until it is dead-lettered".
TEST_P(TakeoverContract, EndsACrashLoopInTheDeadLetters) {
  subscribe("h", "*", 3);
  const EventId id = publish_type("order.paid");
  int crashes = 0;

  while (crashes < 10 && !crash({.suspects = SuspectPolicy::take_alone}).empty()) ++crashes;

  EXPECT_EQ(crashes, 3);
  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::dead);
  EXPECT_EQ(info.attempts, 3);
  EXPECT_THAT(info.last_error, HasSubstr("worker lost"));
}

TEST_P(TakeoverContract, BuriesNoNeighbourOfAPoisonDelivery) {
  subscribe("h", "*", 1);
  publish_many(5);
  ASSERT_THAT(crash({.worker = "worker-a", .limit = 100}), SizeIs(5));

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(count(DeliveryStatus::dead), 0U);
  EXPECT_EQ(count(DeliveryStatus::pending), 5U);
}

TEST_P(TakeoverContract, BuriesNothingThatDidNotRunAsASuspect) {
  subscribe("h", "*", 1);
  const EventId id = publish_type("order.paid");

  crash_and_take_over({});

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  crash_and_take_over({.suspects = SuspectPolicy::take_alone});
  EXPECT_EQ(show(id).status, DeliveryStatus::dead);
}

TEST_P(TakeoverContract, AsksTheSubscriptionHowManyAttemptsThereAre) {
  subscribe("h", "*", 2);
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});
  subscribe("h", "*", 5);

  crash_and_take_over({.suspects = SuspectPolicy::take_alone});

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 2);
}

// Known fault 49.
TEST_P(TakeoverContract, ByAWorkerThatDoesNotRunTheHandlerGivesTheWorkBack) {
  subscribe("exotic", "*", 5);
  const EventId id = publish_type("order.paid");

  crash_and_take_over({.handlers = {"exotic"}});

  EXPECT_EQ(show(id, "exotic").status, DeliveryStatus::pending);
  const ClaimWish wish{
      .worker = "worker-b", .handlers = {"exotic"}, .suspects = SuspectPolicy::take_alone};
  EXPECT_EQ(claimed_count(wish), 1U);
}

TEST_P(TakeoverContract, BuriesNothingOfAHandlerThatWasRemoved) {
  subscribe("h", "*", 1);
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});
  crash({.suspects = SuspectPolicy::take_alone});
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 2);
}

TEST_P(TakeoverContract, ReachesThePausedHandlersWorkToo) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(crash({}).size(), 1U);
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 1);
}

}  // namespace penstock::contract
