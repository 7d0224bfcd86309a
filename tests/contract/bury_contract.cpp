// bury: an attempt ends in the dead letters, by its worker.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(BuryContract, MovesTheDeliveryToTheDeadLetters) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(bury(claim_one().token, "hopeless"), Verdict::done);

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::dead);
  EXPECT_EQ(info.last_error, "hopeless");
  EXPECT_EQ(info.attempts, 1);
  EXPECT_EQ(info.updated_at, clock().now());
  EXPECT_EQ(info.lease_owner, std::nullopt);
}

// Known fault 43.
TEST_P(BuryContract, IsLostTheSecondTimeAlsoAfterARequeue) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(bury(token, "first"), Verdict::done);

  EXPECT_EQ(bury(token, "second"), Verdict::lost);
  EXPECT_EQ(show(id).last_error, "first");
  EXPECT_EQ(requeue_all(), 1);
  EXPECT_EQ(bury(token, "third"), Verdict::lost);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
}

TEST_P(BuryContract, AnswersForEachItemInOrder) {
  subscribe("h");
  publish_many(3);
  std::vector<Bury> items;
  for (const Work& work : claim().work) items.push_back({.token = work.token, .reason = "no"});
  EXPECT_EQ(complete(items.at(1).token), Verdict::done);

  EXPECT_THAT(bus().bury(items), ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
  EXPECT_THAT(bus().bury({}), IsEmpty());
}

TEST_P(BuryContract, IsLostAfterATakeover) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  clock().advance(31s);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(bury(token), Verdict::lost);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
}

TEST_P(BuryContract, LeavesTheDeliveriesOfOtherHandlers) {
  subscribe("h");
  subscribe("other");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(bury(claim_one().token), Verdict::done);

  EXPECT_EQ(show(id, "other").status, DeliveryStatus::pending);
  relinquish("worker-a");
  EXPECT_EQ(claimed_count({.handlers = {"other"}}), 1U);
}

TEST_P(BuryContract, CutsALongReason) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(bury(claim_one().token, std::string(100'000, 'x')), Verdict::done);

  EXPECT_EQ(show(id).last_error, std::string(limits::kErrorTextBytes, 'x'));
}

}  // namespace penstock::contract
