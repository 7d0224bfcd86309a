// claim: due work of the named handlers, under leases, each piece to one worker.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

TEST_P(ClaimContract, FindsNothingInAnEmptyStore) {
  const Claimed claimed = claim();

  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_FALSE(claimed.suspects_wait);
}

TEST_P(ClaimContract, TakesEveryDueDeliveryOnce) {
  subscribe("h");
  const std::vector<EventId> ids = publish_many(30);

  std::vector<Work> work = claim({.limit = 20}).work;
  for (Work& more : claim({.limit = 20}).work) work.push_back(std::move(more));

  EXPECT_THAT(ids_of(work), UnorderedElementsAreArray(ids));
}

TEST_P(ClaimContract, KeepsToItsLimit) {
  subscribe("h");
  publish_many(30);

  EXPECT_EQ(claimed_count({.limit = 7}), 7U);
  EXPECT_EQ(claimed_count({.limit = 0}), 0U);
}

TEST_P(ClaimContract, KeepsToTheRoomOfEachHandler) {
  subscribe("h");
  subscribe("other");
  publish_many(10);
  const WorkerId worker{"worker-a"};
  const std::vector<HandlerRoom> rooms = {{"h", 3}, {"other", 0}};

  const Claimed claimed = bus().claim({.worker = worker, .handlers = rooms, .limit = 100});

  ASSERT_THAT(claimed.work, SizeIs(3));
  for (const Work& work : claimed.work) EXPECT_EQ(work.handler, "h");
}

TEST_P(ClaimContract, LeavesWorkOfOtherHandlers) {
  subscribe("h");
  subscribe("other");
  publish_type("order.paid");

  EXPECT_EQ(claim_one().handler, "h");
  EXPECT_EQ(statistics_of("other").pending, 1);
}

TEST_P(ClaimContract, LeavesWorkThatIsNotDue) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 10s), Verdict::done);

  clock().advance(10s - 1us);
  EXPECT_EQ(claimed_count(), 0U);
  clock().advance(1us);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(ClaimContract, SaysWhenTheNextIsDue) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 10s), Verdict::done);

  const std::optional<Duration> next = claim().next_due_in;

  if (next) {
    EXPECT_GT(*next, 0s);
    EXPECT_LE(*next, 10s);
  }
}

TEST_P(ClaimContract, LeavesTheWorkOfAPausedHandler) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::active), Verdict::done);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(ClaimContract, LeavesTheWorkOfARemovedHandler) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);

  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(count(DeliveryStatus::pending), 1U);
  subscribe("h");
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(ClaimContract, LeavesDeadDeliveries) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(bury(claim_one().token), Verdict::done);

  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(ClaimContract, SkipsLanesUnderALiveLease) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Work held = claim_one({.worker = "worker-a"});
  publish(keyed(keys[1]));

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(claimed_count({.worker = "worker-a"}), 1U);
  EXPECT_EQ(complete(held.token), Verdict::done);
}

TEST_P(ClaimContract, SharesLanesBetweenWorkers) {
  subscribe("h");
  publish_many(200);

  const std::vector<Work> a = claim({.worker = "worker-a", .limit = 5}).work;
  const std::vector<Work> b = claim({.worker = "worker-b", .limit = 5}).work;

  EXPECT_THAT(a, SizeIs(5));
  EXPECT_THAT(b, SizeIs(5));
  for (const Work& mine : a) {
    for (const Work& theirs : b) EXPECT_NE(mine.token.work_id, theirs.token.work_id);
  }
}

TEST_P(ClaimContract, HandsBackALeaseThatRunsNothing) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  EXPECT_EQ(complete(claim_one({.worker = "worker-a"}).token), Verdict::done);
  publish(keyed(keys[1]));

  EXPECT_EQ(claimed_count({.worker = "worker-a", .limit = 0}), 0U);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 1U);
}

TEST_P(ClaimContract, RecordsWhatIsInFlightAndWhere) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  const Work work = claim_one({.worker = "worker-a", .lease = 20s});

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::in_flight);
  EXPECT_EQ(info.lease_owner, "worker-a");
  EXPECT_EQ(info.lease_expires_at, clock().now() + 20s);
  EXPECT_EQ(info.attempts, 0);
  EXPECT_EQ(info.id.value, work.token.work_id);
}

TEST_P(ClaimContract, WritesNothingWhereItFindsNothing) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 1h), Verdict::done);
  EXPECT_EQ(claimed_count(), 0U);
  const std::vector<LaneInfo> before = bus().statistics().lanes;

  for (int i = 0; i < 3; ++i) EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  const std::vector<LaneInfo> after = bus().statistics().lanes;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].epoch, before[i].epoch);
    EXPECT_EQ(after[i].owner, before[i].owner);
    EXPECT_EQ(after[i].expires_at, before[i].expires_at);
  }
}

TEST_P(ClaimContract, RaisesTheEpochWhenALaneChangesHands) {
  subscribe("h");
  const std::string key = keys_in_lane(3, 1)[0];
  publish_key(key, 2);
  const Work first = claim_one({.worker = "worker-a"});
  EXPECT_EQ(complete(first.token), Verdict::done);
  relinquish("worker-a");

  const Work second = claim_one({.worker = "worker-b"});

  const LaneInfo lane = bus().statistics().lanes.at(0);
  EXPECT_EQ(lane.lane, LaneId{3});
  EXPECT_EQ(lane.owner, "worker-b");
  EXPECT_THAT(lane.in_flight, ElementsAre(DeliveryId{second.token.work_id}));
  EXPECT_GE(lane.epoch, Epoch{2});
}

TEST_P(ClaimContract, DoesNotGiveAnAttemptAwayTwiceToOneWorker) {
  subscribe("h");
  publish_type("order.paid");
  const Work work = claim_one();

  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(complete(work.token), Verdict::done);
}

// Known fault 23: a name is not an identity.
TEST_P(ClaimContract, DoesNotLetARestartedWorkerAdoptItsPredecessorsWork) {
  subscribe("h");
  publish_many(10);
  const WorkerId before = WorkerId::incarnation_of("worker");
  const WorkerId after = WorkerId::incarnation_of("worker");
  const std::vector<Work> old = claim({.worker = before.value(), .limit = 100}).work;
  ASSERT_THAT(old, SizeIs(10));

  EXPECT_EQ(claimed_count({.worker = after.value(), .limit = 100}), 0U);
  clock().advance(31s);

  const ClaimWish alone{.worker = after.value(), .suspects = SuspectPolicy::take_alone};
  EXPECT_EQ(claimed_count(alone), 1U);
  EXPECT_EQ(complete(old[0].token), Verdict::lost);
}

}  // namespace penstock::contract
