// listen: hints that jobs may be ready. Waits are long and end early, so that no test sleeps.
#include <thread>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

namespace {
constexpr Duration kLong = 20s;
}  // namespace

TEST_P(QueueWakeupContract, TimesOutWhereNothingHappens) {
  const auto wakeup = queue().listen();

  EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
  EXPECT_EQ(wakeup->wait(0ms), Wakeup::Reason::timeout);
}

TEST_P(QueueWakeupContract, HintsAtAnEnqueue) {
  const auto wakeup = queue().listen();

  enqueue(job());

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, HintsAtTheCommitOfATransaction) {
  const auto wakeup = queue().listen();
  const auto transaction = bus().begin();
  enqueue_in(*transaction, job());

  transaction->commit();

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, HintsWhenAQueueIsResumed) {
  queue().set_paused("q", true);
  enqueue(job());
  const auto wakeup = queue().listen();

  queue().set_paused("q", false);

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, HintsAtAPromotion) {
  enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  advance(1s);
  const auto wakeup = queue().listen();

  EXPECT_EQ(maintain().promoted, 1);

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, ReachesEveryListener) {
  const auto one = queue().listen();
  const auto two = queue().listen();

  enqueue(job());

  EXPECT_EQ(one->wait(kLong), Wakeup::Reason::hint);
  EXPECT_EQ(two->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, WakesAThreadThatWaits) {
  const auto wakeup = queue().listen();
  Wakeup::Reason reason = Wakeup::Reason::timeout;
  {
    const std::jthread waiter([&] { reason = wakeup->wait(kLong); });
    enqueue(job());
  }

  EXPECT_EQ(reason, Wakeup::Reason::hint);
}

TEST_P(QueueWakeupContract, IsInterruptedNowOrElseNextTime) {
  const auto wakeup = queue().listen();

  wakeup->interrupt();

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::interrupted);
  EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
}

}  // namespace penstock::contract
