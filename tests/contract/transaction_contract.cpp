// Transactions: what is published or completed in one exists when, and only if, it commits.
#include <atomic>
#include <thread>

#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

class ForeignTransaction final : public Transaction {};

const Event kEvent{.type = "order.paid"};

}  // namespace

TEST_P(TransactionContract, ShowsNothingBeforeTheCommit) {
  subscribe("h");
  {
    const auto transaction = bus().begin();
    const auto published = bus().publish({&kEvent, 1}, transaction.get());
    EXPECT_EQ(published.at(0).status, PublishStatus::created);
    EXPECT_THAT(published.at(0).handlers, ElementsAre("h"));
    EXPECT_THAT(list(), IsEmpty());
    transaction->commit();
  }

  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(TransactionContract, LeavesNothingWithoutACommit) {
  subscribe("h");
  {
    bus().publish({&kEvent, 1}, bus().begin().get());
  }

  EXPECT_EQ(claimed_count(), 0U);
  EXPECT_EQ(bus().statistics().events, 0);
}

// Known fault 11.
TEST_P(TransactionContract, MayPublishSeveralTimes) {
  subscribe("h");
  const auto transaction = bus().begin();
  for (int i = 0; i < 3; ++i) bus().publish({&kEvent, 1}, transaction.get());
  transaction->commit();

  EXPECT_EQ(claimed_count(), 3U);
}

TEST_P(TransactionContract, RefusesBadInputAndStaysUsable) {
  subscribe("h");
  const Event bad{.type = ""};
  const auto transaction = bus().begin();
  bus().publish({&kEvent, 1}, transaction.get());

  const auto refusal = refusal_of([&] { bus().publish({&bad, 1}, transaction.get()); });
  transaction->commit();

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(claimed_count(), 1U);
}

TEST_P(TransactionContract, RefusesOneOfAnotherStore) {
  const ForeignTransaction foreign;

  const auto publish = refusal_of([&] { bus().publish({&kEvent, 1}, &foreign); });
  const Token token{};
  const auto completion = refusal_of([&] { (void)bus().complete({&token, 1}, &foreign); });

  ASSERT_TRUE(publish);
  EXPECT_EQ(publish->kind, ErrorKind::usage);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->kind, ErrorKind::usage);
}

TEST_P(TransactionContract, RefusesOneThatEnded) {
  const auto transaction = bus().begin();
  transaction->commit();

  const auto refusal = refusal_of([&] { bus().publish({&kEvent, 1}, transaction.get()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
}

TEST_P(TransactionContract, CompletesWithTheCommit) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  const auto transaction = bus().begin();

  EXPECT_EQ(complete(token, *transaction), Verdict::done);
  transaction->commit();

  EXPECT_THAT(list(), IsEmpty());
  EXPECT_EQ(complete(token), Verdict::lost);
}

TEST_P(TransactionContract, DoesNotCompleteWithoutACommit) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;

  {
    EXPECT_EQ(complete(token, *bus().begin()), Verdict::done);
  }

  EXPECT_EQ(show(id).status, DeliveryStatus::in_flight);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(TransactionContract, CompletesOnceWithinItself) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  const auto transaction = bus().begin();
  EXPECT_EQ(complete(token, *transaction), Verdict::done);

  EXPECT_EQ(complete(token, *transaction), Verdict::lost);

  transaction->commit();
  EXPECT_THAT(list(), IsEmpty());
}

TEST_P(TransactionContract, SaysThatATokenIsLost) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(release(token), Verdict::done);

  const auto transaction = bus().begin();

  EXPECT_EQ(complete(token, *transaction), Verdict::lost);
}

TEST_P(TransactionContract, HandsOnInOneStep) {
  subscribe("h", "first");
  subscribe("next", "second");
  publish_type("first");
  const Token token = claim_one().token;
  const Event second{.type = "second"};

  const auto transaction = bus().begin();
  bus().publish({&second, 1}, transaction.get());
  EXPECT_EQ(complete(token, *transaction), Verdict::done);
  transaction->commit();

  EXPECT_EQ(statistics_of("h").in_flight, 0);
  EXPECT_EQ(claimed_count({.handlers = {"next"}}), 1U);
}

// The takeover runs on a thread of its own, because a store may make it wait for the transaction.
TEST_P(TransactionContract, DoesNotLetACompletionAndATakeoverBothWin) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  std::size_t taken_over = 0;
  bool committed = false;
  {
    std::jthread rival;
    const auto transaction = bus().begin();
    bus().publish({&kEvent, 1}, transaction.get());
    const Verdict verdict = complete(token, *transaction);
    rival = std::jthread([&] {
      const ClaimWish wish{.worker = "worker-b", .suspects = SuspectPolicy::take_alone};
      for (const Work& work : claim(wish).work) taken_over += work.suspect ? 1 : 0;
    });
    committed = verdict == Verdict::done && !refusal_of([&] { transaction->commit(); });
  }

  EXPECT_NE(committed, taken_over == 1) << "exactly one of them wins";
  EXPECT_EQ(bus().statistics().events, committed ? 2 : 1) << "the writes go with the completion";
}

TEST_P(TransactionContract, LosesAgainstATakeoverThatCameFirst) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  const auto transaction = bus().begin();
  EXPECT_EQ(complete(token, *transaction), Verdict::lost);
}

}  // namespace penstock::contract
