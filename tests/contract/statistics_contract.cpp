// statistics: one consistent picture of what waits, runs and is dead, and of the lanes.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST_P(StatisticsContract, CountsByHandlerAndState) {
  subscribe("h");
  subscribe("other");
  publish_many(6);
  const std::vector<Work> work = claim({.limit = 4}).work;
  ASSERT_THAT(work, SizeIs(4));
  EXPECT_EQ(bury(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[1].token, 1h), Verdict::done);
  EXPECT_EQ(complete(work[2].token), Verdict::done);

  const HandlerStatistics h = statistics_of("h");
  EXPECT_EQ(h.pending, 3);
  EXPECT_EQ(h.due, 2);
  EXPECT_EQ(h.in_flight, 1);
  EXPECT_EQ(h.dead, 1);
  EXPECT_EQ(h.completed, 0);
  EXPECT_EQ(statistics_of("other").pending, 6);
  EXPECT_EQ(bus().statistics().events, 6);
  EXPECT_EQ(bus().statistics().at, clock().now());
}

// Known fault 13: ownerless work is seen.
TEST_P(StatisticsContract, TellsHowLongTheOldestHasBeenDueAlsoWhereNobodyRunsIt) {
  subscribe("h");
  publish_type("order.paid");
  clock().advance(5min);
  publish_type("order.paid");
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);
  clock().advance(1min);

  EXPECT_EQ(statistics_of("h").oldest_due, Duration{6min});
}

TEST_P(StatisticsContract, HasNoOldestWhereNothingIsDue) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 1h), Verdict::done);

  EXPECT_EQ(statistics_of("h").oldest_due, std::nullopt);
}

TEST_P(StatisticsContract, ShowsTheLanesThatWereHeld) {
  subscribe("h");
  publish(keyed("order-42"));

  const Work work = claim_one({.worker = "worker-a", .lease = 20s});

  const std::vector<LaneInfo> lanes = bus().statistics().lanes;
  ASSERT_THAT(lanes, SizeIs(1));
  EXPECT_EQ(lanes[0].lane, LaneId{244});
  EXPECT_EQ(lanes[0].owner, "worker-a");
  EXPECT_EQ(lanes[0].expires_at, clock().now() + 20s);
  EXPECT_THAT(lanes[0].in_flight, ElementsAre(DeliveryId{work.token.work_id}));
}

TEST_P(StatisticsContract, ShowsNothingInFlightInALaneWhoseWorkEnded) {
  subscribe("h");
  publish(keyed("order-42"));
  EXPECT_EQ(complete(claim_one().token), Verdict::done);
  relinquish("worker-a");

  const std::vector<LaneInfo> lanes = bus().statistics().lanes;
  ASSERT_THAT(lanes, SizeIs(1));
  EXPECT_EQ(lanes[0].owner, std::nullopt);
  EXPECT_THAT(lanes[0].in_flight, ::testing::IsEmpty());
}

}  // namespace penstock::contract
