// complete: ends an attempt for good, and only under the token that the claim handed out.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(CompleteContract, TakesTheDeliveryAway) {
  subscribe("h");
  publish_type("order.paid");

  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  EXPECT_THAT(list(), IsEmpty());
  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(statistics_of("h").pending, 0);
  EXPECT_EQ(statistics_of("h").in_flight, 0);
}

TEST_P(CompleteContract, KeepsTheEventAndTheDeliveriesOfOtherHandlers) {
  subscribe("h");
  subscribe("other");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  EXPECT_EQ(show(id, "other").status, DeliveryStatus::pending);
  EXPECT_EQ(bus().statistics().events, 1);
}

TEST_P(CompleteContract, IsLostTheSecondTime) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;

  EXPECT_EQ(complete(token), Verdict::done);

  EXPECT_EQ(complete(token), Verdict::lost);
}

TEST_P(CompleteContract, AnswersForEachTokenInOrder) {
  subscribe("h");
  publish_many(3);
  const std::vector<Token> tokens = tokens_of(claim().work);
  ASSERT_EQ(release(tokens.at(1)), Verdict::done);

  EXPECT_THAT(bus().complete(tokens, nullptr),
              ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
}

TEST_P(CompleteContract, AnswersOnceForATokenThatStandsTwiceInABatch) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  const std::vector<Token> twice = {token, token};

  EXPECT_THAT(bus().complete(twice, nullptr), ElementsAre(Verdict::done, Verdict::lost));
}

TEST_P(CompleteContract, OfNothingIsNothing) {
  EXPECT_THAT(bus().complete({}, nullptr), IsEmpty());
}

TEST_P(CompleteContract, IsLostUnderATokenThatWasNeverHandedOut) {
  EXPECT_EQ(complete(Token{.work_id = 1, .fence = {0, 1, 0}}), Verdict::lost);
  EXPECT_EQ(complete(Token{.work_id = -1, .fence = {-1, -1, -1}}), Verdict::lost);
  EXPECT_EQ(complete(Token{.work_id = 1, .fence = {100'000, 1, 0}}), Verdict::lost);
}

TEST_P(CompleteContract, IsLostUnderATokenThatDiffersInAnyPart) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;

  for (std::size_t part = 0; part < token.fence.size(); ++part) {
    for (const std::int64_t by : {-1, 1}) {
      Token forged = token;
      forged.fence[part] += by;
      EXPECT_EQ(complete(forged), Verdict::lost) << "part " << part << " changed by " << by;
    }
  }
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(CompleteContract, IsLostUnderTheTokenOfAnEarlierClaimOfTheSameWorkerInTheSameEpoch) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Work keeps_the_lane = claim_one();
  publish(keyed(keys[1]));
  const Token earlier = claim_one().token;
  EXPECT_EQ(release(earlier), Verdict::done);
  const Token later = claim_one().token;

  EXPECT_EQ(complete(earlier), Verdict::lost);

  EXPECT_EQ(complete(later), Verdict::done);
  EXPECT_EQ(complete(keeps_the_lane.token), Verdict::done);
}

TEST_P(CompleteContract, StillCountsAfterTheLeaseRanOutWhileNobodyTookOver) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.lease = 10s}).token;
  clock().advance(1h);

  EXPECT_EQ(complete(token), Verdict::done);

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(bus().statistics().takeovers, 0);
}

TEST_P(CompleteContract, IsLostAfterATakeover) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  clock().advance(31s);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(complete(token), Verdict::lost);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
}

// Known fault 41.
TEST_P(CompleteContract, StandsAgainstTheLateFailureOfAnEarlierOwner) {
  subscribe("h");
  publish_type("order.paid");
  const Token old = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  const Work work = claim_one({.worker = "worker-b", .suspects = SuspectPolicy::take_alone});
  EXPECT_EQ(complete(work.token), Verdict::done);

  EXPECT_EQ(retry(old), Verdict::lost);
  EXPECT_EQ(bury(old), Verdict::lost);
  EXPECT_EQ(release(old), Verdict::lost);
  EXPECT_EQ(extend(old), Verdict::lost);

  EXPECT_THAT(list(), IsEmpty());
}

TEST_P(CompleteContract, OfAnEarlierOwnerDoesNotTouchTheNewOwnersAttempt) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token old = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  const Work work = claim_one({.worker = "worker-b", .suspects = SuspectPolicy::take_alone});

  EXPECT_EQ(complete(old), Verdict::lost);

  EXPECT_EQ(show(id).status, DeliveryStatus::in_flight);
  EXPECT_EQ(complete(work.token), Verdict::done);
}

// Known fault 39.
TEST_P(CompleteContract, IsLostWhereAnOperatorBuriedTheDeliveryMeanwhile) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(bus().bury_selected({.event_id = id}, "operator"), 1);

  EXPECT_EQ(complete(token), Verdict::lost);

  EXPECT_EQ(show(id).status, DeliveryStatus::dead);
}

}  // namespace penstock::contract
