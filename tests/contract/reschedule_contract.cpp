// reschedule: an attempt that shall be tried again, charged (retry) or not (snooze).
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(RescheduleContract, MakesTheDeliveryDueAfterTheDelay) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  clock().advance(5s);

  EXPECT_EQ(retry(token, 10s), Verdict::done);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).available_at, clock().now() + 10s);
  EXPECT_EQ(show(id).updated_at, clock().now());
}

TEST_P(RescheduleContract, ChargesARetryAndKeepsItsError) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(retry(claim_one().token, 0s, "it failed"), Verdict::done);

  EXPECT_EQ(show(id).attempts, 1);
  EXPECT_EQ(show(id).last_error, "it failed");
  EXPECT_EQ(claim_one().attempts, 1);
}

TEST_P(RescheduleContract, DoesNotChargeASnooze) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 0s, "it failed"), Verdict::done);

  EXPECT_EQ(snooze(claim_one().token, 0s), Verdict::done);

  EXPECT_EQ(show(id).attempts, 1);
  EXPECT_EQ(show(id).last_error, "it failed") << "an empty error keeps the last one";
}

TEST_P(RescheduleContract, NeverBuriesByItself) {
  subscribe("h", "*", 1);
  const EventId id = publish_type("order.paid");

  for (int i = 0; i < 5; ++i) EXPECT_EQ(retry(claim_one().token, 0s), Verdict::done);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 5);
}

TEST_P(RescheduleContract, IsLostTheSecondTime) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(retry(token, 10s), Verdict::done);

  EXPECT_EQ(retry(token, 99s, "again"), Verdict::lost);

  EXPECT_EQ(show(id).attempts, 1);
  EXPECT_EQ(show(id).available_at, clock().now() + 10s);
  EXPECT_EQ(show(id).last_error, "no");
}

TEST_P(RescheduleContract, AnswersForEachItemInOrder) {
  subscribe("h");
  publish_many(3);
  const std::vector<Token> tokens = tokens_of(claim().work);
  EXPECT_EQ(complete(tokens.at(1)), Verdict::done);
  std::vector<Reschedule> items;
  for (const Token& token : tokens) items.push_back({.token = token, .delay = 1s});

  EXPECT_THAT(bus().reschedule(items), ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
  EXPECT_THAT(bus().reschedule({}), IsEmpty());
}

TEST_P(RescheduleContract, TakesEachDelayOfABatch) {
  subscribe("h");
  publish_many(2);
  const std::vector<Work> work = claim().work;
  const std::vector<Reschedule> items = {
      {.token = work.at(0).token, .delay = 1s, .error = "one"},
      {.token = work.at(1).token, .delay = 2s, .charge = Charge::keep, .error = "two"}};
  EXPECT_THAT(bus().reschedule(items), ElementsAre(Verdict::done, Verdict::done));

  EXPECT_EQ(show(*work[0].event->id).available_at, clock().now() + 1s);
  EXPECT_EQ(show(*work[0].event->id).attempts, 1);
  EXPECT_EQ(show(*work[1].event->id).available_at, clock().now() + 2s);
  EXPECT_EQ(show(*work[1].event->id).attempts, 0);
  EXPECT_EQ(show(*work[1].event->id).last_error, "two");
}

TEST_P(RescheduleContract, ByADelayBeyondTheEndOfTimeNeverComesDue) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(retry(claim_one().token, Duration::max()), Verdict::done);

  clock().advance(std::chrono::days{365'000});
  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_GT(show(id).available_at, clock().now());
}

TEST_P(RescheduleContract, ByANegativeDelayIsDueNow) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(retry(claim_one().token, -1h), Verdict::done);

  EXPECT_EQ(show(id).available_at, clock().now());
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(RescheduleContract, CutsALongErrorAtACharacter) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  std::string error = "x";
  while (error.size() <= limits::kErrorTextBytes) error += "日";

  EXPECT_EQ(retry(claim_one().token, 0s, error), Verdict::done);

  const std::string kept = show(id).last_error;
  EXPECT_LE(kept.size(), limits::kErrorTextBytes);
  EXPECT_GT(kept.size(), limits::kErrorTextBytes - 3);
  EXPECT_EQ(kept, error.substr(0, kept.size()));
  EXPECT_EQ((kept.size() - 1) % 3, 0U);
}

TEST_P(RescheduleContract, RepairsAnErrorThatIsNoText) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(retry(claim_one().token, 0s, std::string("a\0b\xFF", 4)), Verdict::done);

  EXPECT_EQ(show(id).last_error,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST_P(RescheduleContract, LetsAnotherWorkerTakeIt) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one({.worker = "worker-a"}).token, 0s), Verdict::done);
  relinquish("worker-a");

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 1U);
}

}  // namespace penstock::contract
