// listen: hints that work may be due. Waits are long and end early, so that no test sleeps.
#include <thread>

#include "contract/contract.hpp"

namespace penstock::contract {

namespace {
constexpr Duration kLong = 20s;
}  // namespace

TEST_P(WakeupContract, TimesOutWhereNothingHappens) {
  const auto wakeup = bus().listen();

  EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
  EXPECT_EQ(wakeup->wait(0ms), Wakeup::Reason::timeout);
}

TEST_P(WakeupContract, HintsAtAPublish) {
  subscribe("h");
  const auto wakeup = bus().listen();

  publish_type("order.paid");

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(WakeupContract, HintsAtTheCommitOfATransaction) {
  subscribe("h");
  const Event event{.type = "order.paid"};
  const auto wakeup = bus().listen();
  const auto transaction = bus().begin();
  bus().publish({&event, 1}, transaction.get());

  transaction->commit();

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(WakeupContract, HintsAtARequeueAReleaseAndAReschedule) {
  subscribe("h");
  publish_many(3);
  const std::vector<Work> work = claim().work;
  ASSERT_EQ(work.size(), 3U);
  EXPECT_EQ(bury(work[0].token), Verdict::done);
  for (int step = 0; step < 3; ++step) {
    const auto wakeup = bus().listen();
    if (step == 0) {
      EXPECT_EQ(requeue_all(), 1);
    }
    if (step == 1) {
      EXPECT_EQ(release(work[1].token), Verdict::done);
    }
    if (step == 2) {
      EXPECT_EQ(retry(work[2].token, 0s), Verdict::done);
    }

    EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::hint) << "step " << step;
  }
}

TEST_P(WakeupContract, ReachesEveryListener) {
  subscribe("h");
  const auto one = bus().listen();
  const auto two = bus().listen();

  publish_type("order.paid");

  EXPECT_EQ(one->wait(kLong), Wakeup::Reason::hint);
  EXPECT_EQ(two->wait(kLong), Wakeup::Reason::hint);
}

TEST_P(WakeupContract, WakesAThreadThatWaits) {
  subscribe("h");
  const auto wakeup = bus().listen();
  Wakeup::Reason reason = Wakeup::Reason::timeout;
  {
    const std::jthread waiter([&] { reason = wakeup->wait(kLong); });
    publish_type("order.paid");
  }

  EXPECT_EQ(reason, Wakeup::Reason::hint);
}

TEST_P(WakeupContract, IsInterruptedNowOrElseNextTime) {
  const auto wakeup = bus().listen();

  wakeup->interrupt();

  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::interrupted);
  EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
}

TEST_P(WakeupContract, IsInterruptedFromAnotherThread) {
  const auto wakeup = bus().listen();
  Wakeup::Reason reason = Wakeup::Reason::timeout;
  {
    const std::jthread waiter([&] { reason = wakeup->wait(kLong); });
    wakeup->interrupt();
  }

  EXPECT_EQ(reason, Wakeup::Reason::interrupted);
}

}  // namespace penstock::contract
