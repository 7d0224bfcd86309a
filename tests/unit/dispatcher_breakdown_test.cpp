// A store that breaks instead of failing: the dispatcher stops claiming and says so, the process
// lives, and the leases give the work to another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>

#include "penstock/bus.hpp"
#include "penstock/error.hpp"
#include "penstock/stores/memory.hpp"
#include "support/intercepted_bus_store.hpp"
#include "support/signal.hpp"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using test::Signal;

class DispatcherBreakdownTest : public testing::Test {
 protected:
  std::size_t count(DeliveryStatus status) {
    return memory_.bus().list({.status = status}).items.size();
  }

  MemoryStore memory_{{.retain_completed = true}};
  test::InterceptedBusStore store_{memory_.bus()};
  Bus bus_{store_};
};

TEST_F(DispatcherBreakdownTest, StopsClaimingWhenAnInvariantBroke) {
  store_.before = [](std::string_view verb) {
    if (verb == "claim") throw Error(ErrorKind::internal, "broken");
  };
  bus_.subscribe("h", "*", [](const Delivery&) {});

  Dispatcher dispatcher = bus_.start({.poll = std::chrono::hours{1}});
  dispatcher.run_until_idle();

  EXPECT_TRUE(test::eventually([&] { return !dispatcher.healthy(); }));
}

// A store of somebody else's making may throw anything, and so may the system.
TEST_F(DispatcherBreakdownTest, OutlivesWhateverAStoreThrowsAndSaysSo) {
  for (const std::string_view broken : {"claim", "extend", "complete", "listen"}) {
    SCOPED_TRACE(broken);
    std::atomic<bool> is_broken = true;
    store_.before = [&](std::string_view verb) {
      if (verb == broken && is_broken) throw std::bad_alloc();
    };
    std::mutex mutex;
    std::vector<std::string> failed_threads;
    Signal unhealthy;
    bus_.subscribe("h", "*", [&](const Delivery&) {
      if (broken == "extend") static_cast<void>(unhealthy.wait_for(1));
    });
    bus_.publish({.type = "t"});
    DispatcherOptions options{.lease = milliseconds{300}, .poll = std::chrono::hours{1}};
    options.log = [&](LogLevel, std::string_view, std::span<const LogField> fields) {
      for (const LogField& field : fields) {
        const std::lock_guard lock(mutex);
        if (field.name == "thread") failed_threads.emplace_back(field.value);
      }
    };
    Dispatcher dispatcher = bus_.start(options);

    EXPECT_TRUE(test::eventually([&] { return !dispatcher.healthy(); }));
    unhealthy.raise();
    dispatcher.stop();

    EXPECT_THAT(failed_threads, testing::Not(testing::IsEmpty()));
    is_broken = false;
    Dispatcher next = bus_.start({.poll = milliseconds{10}});
    EXPECT_TRUE(test::eventually([&] {
      return count(DeliveryStatus::pending) == 0 && count(DeliveryStatus::in_flight) == 0;
    }));
    EXPECT_EQ(count(DeliveryStatus::dead), 0U);
  }
}

// One of a batch may be at fault: the others must not suffer for it.
TEST_F(DispatcherBreakdownTest, RecordsEndsOneByOneWhereTheStoreRefusesThemTogether) {
  std::atomic<int> calls = 0;
  store_.before = [&](std::string_view verb) {
    if (verb == "complete" && calls++ == 0) throw Error(ErrorKind::internal, "refused");
  };
  bus_.subscribe("h", "*", [](const Delivery&) {});
  bus_.publish(std::vector<Event>(20, Event{.type = "t"}));

  Dispatcher dispatcher = bus_.start({.concurrency = 1, .batch = 20});
  dispatcher.run_until_idle();

  // The one that was alone in the first call, if it was, is refused for good.
  EXPECT_GE(count(DeliveryStatus::completed), 19U);
  EXPECT_EQ(count(DeliveryStatus::completed) + count(DeliveryStatus::dead), 20U);
  EXPECT_TRUE(dispatcher.healthy());
}

// Were it left to its lease, it would wait for as long as anything else runs in the same lane; were
// it released, its handler would run again and again.
TEST_F(DispatcherBreakdownTest, BuriesWhatHasAnEndThatTheStoreRefuses) {
  std::atomic<int> ran = 0;
  store_.before = [&](std::string_view verb) {
    if (verb == "complete") throw Error(ErrorKind::internal, "refused");
  };
  bus_.subscribe("h", "*", [&](const Delivery&) { ++ran; });
  bus_.publish(std::vector<Event>(5, Event{.type = "t", .key = "k"}));

  Dispatcher dispatcher = bus_.start({.concurrency = 2});
  dispatcher.run_until_idle();

  EXPECT_EQ(ran, 5);
  const auto dead = memory_.bus().list({.status = DeliveryStatus::dead}).items;
  ASSERT_EQ(dead.size(), 5U);
  EXPECT_THAT(dead[0].last_error, testing::HasSubstr("its end could not be recorded: refused"));
}

}  // namespace
}  // namespace penstock
