// The dispatcher over the memory store: what a user sees of attempts, order, and stopping.
#include "penstock/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "penstock/admin.hpp"
#include "penstock/bus.hpp"
#include "penstock/error.hpp"
#include "penstock/stores/memory.hpp"
#include "support/intercepted_bus_store.hpp"
#include "support/signal.hpp"

namespace penstock {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kPatience;
using test::Signal;
using testing::ElementsAre;

class DispatcherTest : public testing::Test {
 protected:
  // Nothing is due to polling here: a test that passes was woken by a hint.
  static DispatcherOptions quiet(DispatcherOptions options = {}) {
    options.poll = hours{1};
    options.purge_every = Duration{0};
    return options;
  }

  void publish(const std::string& type, std::optional<std::string> key = {}, int count = 1) {
    for (int i = 0; i < count; ++i) {
      bus_.publish({.type = type, .key = key, .payload = std::to_string(i)});
    }
  }

  // Whatever handler `h` has in this state.
  std::vector<DeliveryInfo> listed(DeliveryStatus status) {
    return store_.list({.status = status}).items;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  MemoryStore memory_{{.clock = clock_, .retain_completed = true}};
  test::InterceptedBusStore store_{memory_.bus()};
  Bus bus_{store_};
};

TEST_F(DispatcherTest, HandlesWhatWasPublishedBeforeAndAfterItsStart) {
  Signal handled;
  bus_.subscribe("h", "*", [&](const Delivery&) { handled.raise(); });
  publish("before");

  const Dispatcher dispatcher = bus_.start(quiet());

  ASSERT_TRUE(handled.wait_for(1));
  publish("after");
  ASSERT_TRUE(handled.wait_for(2));
}

TEST_F(DispatcherTest, GivesTheHandlerTheWholeEvent) {
  Event seen;
  int attempt = 0;
  bus_.subscribe("h", "order.*", [&](const Delivery& delivery) {
    seen = delivery.event();
    attempt = delivery.attempt();
  });
  const Published published = bus_.publish({.type = "order.paid",
                                            .key = "k",
                                            .payload = std::string("\0\1", 2),
                                            .content_type = "application/octet-stream",
                                            .headers = {{"trace", "1"}}});

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(seen.id, published.id);
  EXPECT_EQ(seen.type, "order.paid");
  EXPECT_EQ(seen.key, "k");
  EXPECT_EQ(seen.payload, std::string("\0\1", 2));
  EXPECT_EQ(seen.content_type, "application/octet-stream");
  EXPECT_EQ(seen.headers.at("trace"), "1");
  EXPECT_EQ(attempt, 1);
}

TEST_F(DispatcherTest, TriesAgainAfterTheDelayWhenAHandlerThrows) {
  std::vector<int> attempts;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    attempts.push_back(delivery.attempt());
    if (attempts.size() == 1) throw std::runtime_error("no route to host");
  });
  publish("t");
  Dispatcher dispatcher = bus_.start(quiet());

  dispatcher.run_until_idle();
  EXPECT_THAT(attempts, ElementsAre(1));
  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).last_error, "no route to host");
  clock_->advance(seconds{3});
  dispatcher.run_until_idle();

  EXPECT_THAT(attempts, ElementsAre(1, 2));
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
}

TEST_F(DispatcherTest, BuriesTheLastAttempt) {
  bus_.subscribe("h", "*", [](const Delivery&) { throw std::runtime_error("always"); },
                 {.max_attempts = 2});
  publish("t");
  Dispatcher dispatcher = bus_.start(quiet());

  dispatcher.run_until_idle();
  clock_->advance(seconds{10});
  dispatcher.run_until_idle();

  const auto dead = listed(DeliveryStatus::dead);
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(dead[0].attempts, 2);
  EXPECT_EQ(dead[0].last_error, "always");
  EXPECT_EQ(dispatcher.counters().buried, 1);
}

TEST_F(DispatcherTest, ObeysAnOutcomeReturnedOrThrown) {
  bus_.subscribe("h", "*", [](const Delivery& delivery) -> Outcome {
    if (delivery.event().type == "snooze") return snooze(seconds{30});
    if (delivery.event().type == "bury") throw bury("no such order");
    return done();
  });
  publish("snooze");
  publish("bury");
  publish("done");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::completed).at(0).type, "done");
  EXPECT_EQ(listed(DeliveryStatus::dead).at(0).last_error, "no such order");
  const DeliveryInfo snoozed = listed(DeliveryStatus::pending).at(0);
  EXPECT_EQ(snoozed.attempts, 0);
  EXPECT_EQ(snoozed.available_at, clock_->now() + seconds{30});
}

TEST_F(DispatcherTest, TreatsAnythingThrownAsAFailure) {
  bus_.subscribe("h", "*", [](const Delivery&) { throw 42; });
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

TEST_F(DispatcherTest, SurvivesARetryDelayThatThrows) {
  bus_.subscribe("h", "*", [](const Delivery&) { throw std::runtime_error("x"); },
                 {.retry_delay = [](int, double) -> Duration { throw std::runtime_error("y"); }});
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

TEST_F(DispatcherTest, CompletesADeferredDeliveryFromAnotherThread) {
  std::mutex mutex;
  std::vector<std::jthread> threads;
  bus_.subscribe("h", "*", [&](const Delivery&, Completion completion) {
    const std::lock_guard lock(mutex);
    threads.emplace_back([completion = std::move(completion)] { completion.done(); });
  });
  publish("t", "k", 3);

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 3U);
}

TEST_F(DispatcherTest, CountsADroppedCompletionAsAFailure) {
  bus_.subscribe("h", "*", [](const Delivery&, Completion) {});
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

TEST_F(DispatcherTest, EndsADeferredDeliveryAtItsTimeoutAndIgnoresItsLateCompletion) {
  std::optional<Completion> kept;
  bus_.subscribe("h", "*",
                 [&](const Delivery&, Completion completion) { kept = std::move(completion); },
                 {.timeout = milliseconds{20}});
  publish("t");
  Dispatcher dispatcher = bus_.start(quiet());

  dispatcher.run_until_idle();
  kept->done();
  dispatcher.run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).last_error,
            "timed out: the Completion was not finished in time");
  EXPECT_TRUE(listed(DeliveryStatus::completed).empty());
}

TEST_F(DispatcherTest, TakesALateCompletionAfterItIsGone) {
  std::optional<Completion> kept;
  Signal began;
  bus_.subscribe("h", "*", [&](const Delivery&, Completion completion) {
    kept = std::move(completion);
    began.raise();
  });
  publish("t");
  {
    const Dispatcher dispatcher = bus_.start(quiet({.grace = Duration{0}}));
    ASSERT_TRUE(began.wait_for(1));
  }

  kept->done();

  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 0);
}

TEST_F(DispatcherTest, AsksAPlainHandlerToStopAtItsTimeout) {
  StopReason reason = StopReason::none;
  bus_.subscribe("h", "*",
                 [&](const Delivery& delivery) {
                   Signal stopped;
                   const std::stop_callback callback(delivery.stop_token(),
                                                     [&] { stopped.raise(); });
                   EXPECT_TRUE(stopped.wait_for(1));
                   reason = delivery.stop_reason();
                   throw std::runtime_error("gave up");
                 },
                 {.timeout = milliseconds{20}});
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(reason, StopReason::timeout);
  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).last_error, "timed out: gave up");
}

TEST_F(DispatcherTest, CommitsTheWritesOfATransactionalHandlerWithItsCompletion) {
  bus_.subscribe("first", "t", [&](const Delivery&, Transaction& transaction) {
    bus_.publish(transaction, {.type = "follow-up"});
  });
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(memory_.published().size(), 2U);
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 1U);
}

TEST_F(DispatcherTest, RollsBackATransactionalHandlerThatFails) {
  bus_.subscribe("first", "t", [&](const Delivery&, Transaction& transaction) {
    bus_.publish(transaction, {.type = "follow-up"});
    throw std::runtime_error("after the write");
  });
  publish("t");

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(memory_.published().size(), 1U);
  EXPECT_EQ(listed(DeliveryStatus::pending).at(0).attempts, 1);
}

TEST_F(DispatcherTest, CommitsNothingOfATransactionalHandlerWhoseDeliveryWasTakenAway) {
  bus_.subscribe("first", "t", [&](const Delivery& delivery, Transaction& transaction) {
    bus_.publish(transaction, {.type = "follow-up"});
    memory_.bus().bury_selected({.delivery_id = delivery.id()}, "operator");
  });
  publish("t");

  Dispatcher dispatcher = bus_.start(quiet());
  dispatcher.run_until_idle();

  EXPECT_EQ(memory_.published().size(), 1U);
  EXPECT_EQ(dispatcher.counters().lost, 1);
}

TEST_F(DispatcherTest, KeepsTheOrderOfEachKey) {
  std::mutex mutex;
  std::map<std::string, std::vector<std::int64_t>> seen;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    const std::lock_guard lock(mutex);
    seen[*delivery.event().key].push_back(*delivery.sequence());
  });
  for (int i = 0; i < 500; ++i) publish("t", "key-" + std::to_string(i % 7));

  bus_.start(quiet({.batch = 50})).run_until_idle();

  std::size_t handled = 0;
  for (const auto& [key, sequences] : seen) {
    EXPECT_TRUE(std::ranges::is_sorted(sequences)) << key;
    handled += sequences.size();
  }
  EXPECT_EQ(handled, 500U);
}

TEST_F(DispatcherTest, HoldsBackAKeyWhileItsFirstDeliveryIsRetried) {
  std::vector<std::string> handled;
  bool fail = true;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    if (delivery.event().payload == "0" && std::exchange(fail, false))
      throw std::runtime_error("x");
    handled.push_back(delivery.event().payload);
  });
  publish("t", "k", 4);
  Dispatcher dispatcher = bus_.start(quiet());

  dispatcher.run_until_idle();
  EXPECT_TRUE(handled.empty());
  clock_->advance(seconds{3});
  dispatcher.run_until_idle();

  EXPECT_THAT(handled, ElementsAre("0", "1", "2", "3"));
}

TEST_F(DispatcherTest, RunsNoMoreOfAHandlerAtOnceThanItAllows) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  bus_.subscribe("h", "*",
                 [&](const Delivery&) {
                   const int now = ++running;
                   int seen = most;
                   while (now > seen && !most.compare_exchange_weak(seen, now)) {
                   }
                   std::this_thread::yield();
                   --running;
                 },
                 {.concurrency = 2});
  publish("t", {}, 200);

  bus_.start(quiet()).run_until_idle();

  EXPECT_LE(most, 2);
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 100U);  // The first page.
}

TEST_F(DispatcherTest, RunsAsManyHandlersAtOnceAsItHasThreads) {
  Signal began;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  publish("t", {}, 20);

  Dispatcher dispatcher = bus_.start(quiet({.concurrency = 8, .batch = 100}));

  EXPECT_TRUE(began.wait_for(8));
  EXPECT_EQ(listed(DeliveryStatus::in_flight).size(), 8U);  // What waits is left to other workers.
  go.raise();
  dispatcher.run_until_idle();
}

TEST_F(DispatcherTest, ALongAttemptHoldsUpNothingElse) {
  Signal slow_began;
  Signal others;
  Signal go;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    if (delivery.event().type != "slow") return others.raise();
    slow_began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  publish("quick", {}, 300);  // Teaches the dispatcher that this handler is quick.
  Dispatcher dispatcher = bus_.start(quiet({.concurrency = 2, .batch = 200}));
  dispatcher.run_until_idle();

  std::vector<Event> events(100, Event{.type = "quick"});
  events[0].type = "slow";
  bus_.publish(events);

  EXPECT_TRUE(slow_began.wait_for(1));
  EXPECT_TRUE(others.wait_for(399));
  EXPECT_TRUE(
      test::eventually([&] { return store_.statistics().handlers.at("h").in_flight == 1; }));
  go.raise();
}

}  // namespace
}  // namespace penstock
