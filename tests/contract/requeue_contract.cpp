// requeue and bury_selected: an operator's actions, which race the workers and never break a fence.
#include "contract/contract.hpp"
#include "work/check.hpp"

namespace penstock::contract {

using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_P(RequeueContract, MakesADeadDeliveryDueNowWithAFreshBudget) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 0s), Verdict::done);
  EXPECT_EQ(bury(claim_one().token, "hopeless"), Verdict::done);
  clock().advance(1h);

  EXPECT_EQ(bus().requeue({.event_id = id}), 1);

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::pending);
  EXPECT_EQ(info.attempts, 0);
  EXPECT_EQ(info.available_at, clock().now());
  EXPECT_EQ(claim_one().attempts, 0);
}

TEST_P(RequeueContract, SelectsByDeliveryEventHandlerOrAll) {
  subscribe("h");
  subscribe("other");
  const std::vector<EventId> ids = publish_many(3);
  const auto bury_all = [&] { return bus().bury_selected({.all = true}, "test"); };
  ASSERT_EQ(bury_all(), 6);

  EXPECT_EQ(bus().requeue({.delivery_id = show(ids[0]).id}), 1);
  EXPECT_EQ(bus().requeue({.event_id = ids[1]}), 2);
  EXPECT_EQ(bus().requeue({.handler = "other"}), 2);
  EXPECT_EQ(requeue_all(), 1);
}

TEST_P(RequeueContract, NeedsAllConditionsToHold) {
  subscribe("h");
  subscribe("other");
  const std::vector<EventId> ids = publish_many(2);
  ASSERT_EQ(bus().bury_selected({.all = true}, "test"), 4);

  EXPECT_EQ(bus().requeue({.event_id = ids[0], .handler = "h"}), 1);
  EXPECT_EQ(bus().requeue({.delivery_id = show(ids[1]).id, .handler = "other"}), 0);
  EXPECT_EQ(bus().requeue({.handler = "h", .all = true}), 1);
}

TEST_P(RequeueContract, RefusesAnEmptySelection) {
  const auto refusal = refusal_of([&] { bus().requeue({}); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
}

// Known fault 119.
TEST_P(RequeueContract, LeavesWhatIsPendingOrInFlight) {
  subscribe("h");
  publish_many(2);
  const std::vector<Work> work = claim({.limit = 1}).work;
  ASSERT_THAT(work, SizeIs(1));

  EXPECT_EQ(requeue_all(), 0);

  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(RequeueContract, OfADeliveryThatIsGoneDoesNothing) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Work work = claim_one();
  EXPECT_EQ(complete(work.token), Verdict::done);

  EXPECT_EQ(bus().requeue({.event_id = id}), 0);
  EXPECT_EQ(bus().requeue({.delivery_id = DeliveryId{work.token.work_id}}), 0);
}

TEST_P(RequeueContract, DoesNotReviveTheTokenFromBefore) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(bus().bury_selected({.event_id = id}, "operator"), 1);
  EXPECT_EQ(requeue_all(), 1);

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(retry(token), Verdict::lost);
  EXPECT_EQ(release(token), Verdict::lost);
  EXPECT_EQ(extend(token), Verdict::lost);

  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(RequeueContract, DoesNotReviveTheTokenFromBeforeWhileTheNextAttemptRuns) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token before = claim_one().token;
  EXPECT_EQ(bus().bury_selected({.event_id = id}, "operator"), 1);
  EXPECT_EQ(requeue_all(), 1);
  const Token now = claim_one().token;

  EXPECT_EQ(complete(before), Verdict::lost);

  EXPECT_EQ(complete(now), Verdict::done);
}

TEST_P(RequeueContract, OfARemovedHandlerWaitsForItsReturn) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(bury(claim_one().token), Verdict::done);
  EXPECT_EQ(bus().set_subscription_state("h", SubscriptionState::removed), Verdict::done);

  EXPECT_EQ(requeue_all(), 1);

  EXPECT_EQ(claimed_count(), 0U);
  subscribe("h");
  EXPECT_EQ(claim_one().event->id, id);
}

TEST_P(BurySelectedContract, BuriesWhatIsPending) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(snooze(claim_one().token, 1h), Verdict::done);

  EXPECT_EQ(bus().bury_selected({.event_id = id}, "not wanted"), 1);

  const DeliveryInfo info = show(id);
  EXPECT_EQ(info.status, DeliveryStatus::dead);
  EXPECT_EQ(info.last_error, "not wanted");
  EXPECT_EQ(info.updated_at, clock().now());
  clock().advance(2h);
  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(BurySelectedContract, BuriesWhatIsInFlightAndTakesItsToken) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;

  EXPECT_EQ(bus().bury_selected({.all = true}, "stop"), 1);

  EXPECT_EQ(show(id).status, DeliveryStatus::dead);
  EXPECT_EQ(show(id).lease_owner, std::nullopt);
  EXPECT_EQ(extend(token), Verdict::lost);
  EXPECT_EQ(retry(token), Verdict::lost);
  EXPECT_EQ(bury(token, "late"), Verdict::lost);
  EXPECT_EQ(show(id).last_error, "stop");
}

TEST_P(BurySelectedContract, LeavesTheDead) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(bury(claim_one().token, "first"), Verdict::done);

  EXPECT_EQ(bus().bury_selected({.all = true}, "second"), 0);

  EXPECT_EQ(show(id).last_error, "first");
}

TEST_P(BurySelectedContract, RefusesAnEmptySelection) {
  const auto refusal = refusal_of([&] { bus().bury_selected({}, "x"); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
}

// Known fault 47: operator cancel works while it loops.
TEST_P(BurySelectedContract, EndsACrashLoop) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  crash_and_take_over({});
  crash({.suspects = SuspectPolicy::take_alone});

  EXPECT_EQ(bus().bury_selected({.event_id = id}, "enough"), 1);

  EXPECT_EQ(claimed_count({.worker = "worker-b", .suspects = SuspectPolicy::take_alone}), 0U);
  EXPECT_EQ(show(id).status, DeliveryStatus::dead);
  EXPECT_THAT(show(id).last_error, StartsWith("enough (before: worker lost"));
  EXPECT_EQ(show(id).attempts, 1);
}

TEST_P(BurySelectedContract, KeepsTheErrorFromBefore) {
  subscribe("h");
  const EventId waiting = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 1h, "no paper"), Verdict::done);
  const EventId running = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 0s, "no ink"), Verdict::done);
  static_cast<void>(claim_one());

  EXPECT_EQ(bus().bury_selected({.all = true}, "enough"), 2);

  EXPECT_EQ(show(waiting).last_error, "enough (before: no paper)");
  EXPECT_EQ(show(running).last_error, "enough (before: no ink)");
}

TEST_P(BurySelectedContract, CutsTheErrorFromBeforeAtACharacter) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  std::string before;
  while (before.size() < limits::kErrorTextBytes) before += "é";
  EXPECT_EQ(retry(claim_one().token, 0s, before), Verdict::done);

  EXPECT_EQ(bus().bury_selected({.event_id = id}, "enough"), 1);

  const std::string kept = show(id).last_error;
  EXPECT_THAT(kept, StartsWith("enough (before: éé"));
  EXPECT_LE(kept.size(), limits::kErrorTextBytes);
  EXPECT_GT(kept.size(), limits::kErrorTextBytes / 4);
  EXPECT_TRUE(work::is_utf8(kept));
}

TEST_P(BurySelectedContract, CutsALongReason) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(bus().bury_selected({.event_id = id}, std::string(100'000, 'x')), 1);

  EXPECT_EQ(show(id).last_error.size(), limits::kErrorTextBytes);
}

}  // namespace penstock::contract
