// Stopping, losing leases, losing the store: nothing is lost, and no attempt is spent that was not
// the handler's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "dispatcher_fixture.hpp"
#include "penstock/admin.hpp"
#include "penstock/error.hpp"
#include "support/signal.hpp"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Signal;

class DispatcherStopTest : public test::DispatcherFixture {};

// Known fault 87.
TEST_F(DispatcherStopTest, RecordsWhatRunningHandlersFinishWithinTheGracePeriod) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  publish(50);
  Dispatcher dispatcher = bus_.start(quiet({.concurrency = 50, .batch = 50}));
  ASSERT_TRUE(began.wait_for(50));

  std::jthread stopping([&] { dispatcher.stop(); });
  go.raise();
  stopping.join();

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 50U);
  EXPECT_EQ(began.count(), 50);
}

// Known fault 89.
TEST_F(DispatcherStopTest, ReleasesWhatIgnoresTheGracePeriodWithoutSpendingAnAttempt) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  publish(3);
  {
    Dispatcher dispatcher = bus_.start(quiet({.grace = milliseconds{10}}));
    ASSERT_TRUE(began.wait_for(3));

    dispatcher.stop();

    const auto pending = listed(DeliveryStatus::pending);
    ASSERT_EQ(pending.size(), 3U);
    for (const DeliveryInfo& delivery : pending) EXPECT_EQ(delivery.attempts, 0);
    go.raise();
  }
  EXPECT_TRUE(listed(DeliveryStatus::completed).empty());  // Their late completion was rejected.
}

TEST_F(DispatcherStopTest, AsksHandlersToStopAtTheEndOfTheGracePeriod) {
  Signal began;
  std::atomic<StopReason> reason = StopReason::none;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    Signal stopped;
    const std::stop_callback callback(delivery.stop_token(), [&] { stopped.raise(); });
    began.raise();
    EXPECT_TRUE(stopped.wait_for(1));
    reason = delivery.stop_reason();
    throw std::runtime_error("interrupted");
  });
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet({.grace = milliseconds{10}}));
  ASSERT_TRUE(began.wait_for(1));

  dispatcher.stop();

  EXPECT_EQ(reason, StopReason::shutdown);
  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 0);
}

TEST_F(DispatcherStopTest, HandsBackItsLeasesSoThatAnotherWorkerNeedNotWait) {
  Signal began;
  bus_.subscribe("h", "*", [&](const Delivery&) { began.raise(); });
  publish(5);
  Dispatcher first = bus_.start(quiet());
  first.run_until_idle();

  first.stop();

  for (const LaneInfo& lane : memory_.bus().statistics().lanes) EXPECT_FALSE(lane.owner);
}

TEST_F(DispatcherStopTest, MayBeStoppedTwiceAndFromSeveralThreads) {
  bus_.subscribe("h", "*", [](const Delivery&) {});
  Dispatcher dispatcher = bus_.start(quiet());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { dispatcher.stop(); });
  threads.clear();

  dispatcher.stop();

  EXPECT_FALSE(dispatcher.healthy());
}

TEST_F(DispatcherStopTest, ReleasesTheRestOfARunWhenStopped) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  go.raise();
  publish(200, "k");
  Dispatcher dispatcher = bus_.start(quiet({.batch = 50}));
  ASSERT_TRUE(began.wait_for(1));

  dispatcher.stop();

  for (const DeliveryInfo& delivery : listed(DeliveryStatus::pending)) {
    EXPECT_EQ(delivery.attempts, 0);
  }
  EXPECT_TRUE(listed(DeliveryStatus::in_flight).empty());
}

// Known fault 91: the drain lasts longer than several leases.
TEST_F(DispatcherStopTest, ExtendsLeasesWhileItDrains) {
  Signal began;
  Signal extended;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(extended.wait_for(extended.count() + 12));
  });
  store_.after = [&](std::string_view verb) {
    if (verb == "extend") extended.raise();
  };
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet({.lease = milliseconds{300}}));
  ASSERT_TRUE(began.wait_for(1));

  dispatcher.stop();  // At a third of the lease each, twelve extensions are four leases.

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
  EXPECT_EQ(memory_.bus().statistics().takeovers, 0);
}

// Known fault 21, second half, and 105.
TEST_F(DispatcherStopTest, StopsAHandlerBeforeALeaseThatCannotBeExtendedEnds) {
  std::atomic<StopReason> reason = StopReason::none;
  std::atomic<bool> blocked = true;
  std::mutex mutex;
  std::vector<std::string> owners;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    {
      const std::lock_guard lock(mutex);
      owners.push_back(*memory_.bus().list({.delivery_id = delivery.id()}).items.at(0).lease_owner);
    }
    if (owners.size() > 1) return;
    Signal stopped;
    const std::stop_callback callback(delivery.stop_token(), [&] { stopped.raise(); });
    EXPECT_TRUE(stopped.wait_for(1));
    reason = delivery.stop_reason();
    blocked = false;
    throw std::runtime_error("lease lost");
  });
  store_.before = [&](std::string_view verb) {
    if (verb == "extend" && blocked) throw Error(ErrorKind::unavailable, "extend is blocked");
  };
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet({.lease = milliseconds{400}}));

  EXPECT_TRUE(test::eventually([&] { return listed(DeliveryStatus::completed).size() == 1; }));

  EXPECT_EQ(reason, StopReason::lease_lost);
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_NE(owners[0], owners[1]);  // It came back as a new incarnation.
}

TEST_F(DispatcherStopTest, StopsAHandlerWhoseDeliveryAnOperatorBuried) {
  Signal began;
  std::atomic<StopReason> reason = StopReason::none;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    Signal stopped;
    const std::stop_callback callback(delivery.stop_token(), [&] { stopped.raise(); });
    began.raise();
    EXPECT_TRUE(stopped.wait_for(1));
    reason = delivery.stop_reason();
  });
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet({.lease = milliseconds{600}}));
  ASSERT_TRUE(began.wait_for(1));

  EXPECT_EQ(Admin{memory_.bus()}.bury({.all = true}, "cancelled"), 1);
  dispatcher.run_until_idle();

  EXPECT_EQ(reason, StopReason::lease_lost);
  EXPECT_EQ(listed(DeliveryStatus::dead).at(0).last_error, "cancelled");
  EXPECT_EQ(dispatcher.counters().lost, 1);
}

TEST_F(DispatcherStopTest, IsNotStoppedByItsOwnHandler) {
  std::optional<Dispatcher> dispatcher;
  std::atomic<int> refused = 0;
  const auto is_refused = [&](auto call) {
    try {
      call();
    } catch (const Error& error) {
      refused += error.kind() == ErrorKind::usage ? 1 : 0;
    }
  };
  Signal started;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    EXPECT_TRUE(started.wait_for(1));
    is_refused([&] { dispatcher->stop(); });
    is_refused([&] { dispatcher->run_until_idle(); });
  });
  publish(1);
  dispatcher.emplace(bus_.start(quiet()));
  started.raise();

  dispatcher->run_until_idle();

  EXPECT_EQ(refused, 2);
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
}

// Known faults 59, 97, 101: an outage neither ends the process nor floods the log.
TEST_F(DispatcherStopTest, OutlivesAnOutageOfTheStore) {
  std::atomic<bool> away = false;
  std::atomic<int> refused = 0;
  std::atomic<int> lines = 0;
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  store_.before = [&](std::string_view) {
    if (!away) return;
    ++refused;
    throw Error(ErrorKind::unavailable, "the server is away");
  };
  DispatcherOptions options = quiet({.concurrency = 1, .batch = 1});
  options.log = [&](LogLevel level, std::string_view, std::span<const LogField>) {
    if (level == LogLevel::warning) ++lines;
  };
  publish(2);
  Dispatcher dispatcher = bus_.start(options);
  ASSERT_TRUE(began.wait_for(1));

  away = true;
  go.raise();
  EXPECT_TRUE(test::eventually([&] { return refused >= 8; }));
  EXPECT_LT(lines, refused);
  away = false;
  dispatcher.run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 2U);
  EXPECT_EQ(began.count(), 2);  // What had ended before the outage was recorded after it.
  EXPECT_TRUE(dispatcher.healthy());
}

// Known fault 45: the gap between done and recorded is bounded.
TEST_F(DispatcherStopTest, ClaimsNoMoreThanItMayLeaveUnrecorded) {
  Signal completing;
  Signal go;
  std::atomic<int> handled = 0;
  bus_.subscribe("h", "*", [&](const Delivery&) { ++handled; });
  store_.before = [&](std::string_view verb) {
    if (verb != "complete") return;
    completing.raise();
    EXPECT_TRUE(go.wait_for(1));
  };
  publish(1'000);
  DispatcherOptions options = quiet({.concurrency = 2, .batch = 20});
  options.max_unrecorded = 50;
  Dispatcher dispatcher = bus_.start(options);
  ASSERT_TRUE(completing.wait_for(1));

  EXPECT_TRUE(test::eventually([&] { return handled >= 50; }));
  EXPECT_LE(memory_.bus().statistics().handlers.at("h").in_flight, 50 + 20 + 2);
  go.raise();
  dispatcher.run_until_idle();

  EXPECT_EQ(handled, 1'000);
}

TEST_F(DispatcherStopTest, TwoThreadsMayStopItAtOnce) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet());
  ASSERT_TRUE(began.wait_for(1));
  std::atomic<int> stopped = 0;
  const auto stop = [&] {
    dispatcher.stop();
    EXPECT_THAT(listed(DeliveryStatus::in_flight), testing::IsEmpty());
    ++stopped;
  };
  std::thread first(stop);
  std::thread second(stop);
  go.raise();
  first.join();
  second.join();

  EXPECT_EQ(stopped, 2);
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
}

TEST_F(DispatcherStopTest, RefusesOptionsOutOfRange) {
  bus_.subscribe("h", "*", [](const Delivery&) {});
  EXPECT_THROW(static_cast<void>(bus_.start({.lease = Duration{5}})), Error);
  EXPECT_THROW(static_cast<void>(bus_.start({.concurrency = 0})), Error);
  EXPECT_THROW(static_cast<void>(bus_.start({.batch = 0})), Error);
  EXPECT_THROW(static_cast<void>(bus_.start({.name = ""})), Error);
  EXPECT_THROW(static_cast<void>(Bus{store_}.start()), Error);
}

// A user's exception class may do this.
TEST_F(DispatcherStopTest, SurvivesAnExceptionWithoutWords) {
  struct Wordless : std::exception {
    const char* what() const noexcept override { return nullptr; }
  };
  bus_.subscribe("h", "*", [](const Delivery&) { throw Wordless{}; });
  publish(1);

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

TEST_F(DispatcherStopTest, TakesTheLongestSpansAsForEver) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*",
                 [&](const Delivery& delivery) {
                   began.raise();
                   EXPECT_TRUE(go.wait_for(1));
                   EXPECT_EQ(delivery.stop_reason(), StopReason::none);
                 },
                 {.timeout = Duration::max()});
  publish(1);
  Dispatcher dispatcher = bus_.start(quiet({.lease = Duration::max(), .grace = Duration::max()}));
  ASSERT_TRUE(began.wait_for(1));

  std::jthread stopping([&] { dispatcher.stop(); });
  go.raise();
  stopping.join();

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
}

// It spoils the transaction it was given: that is its own failure, and spends an attempt.
TEST_F(DispatcherStopTest, ChargesATransactionalHandlerThatLeavesNothingToCommit) {
  bus_.subscribe("h", "*", [](const Delivery&, Transaction&) {});
  store_.before = [](std::string_view verb) {
    if (verb == "complete") throw Error(ErrorKind::usage, "not inside a transaction");
  };
  publish(1);

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

}  // namespace
}  // namespace penstock
