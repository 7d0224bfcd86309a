// Suspects: what was in flight when a process died runs alone in its process.
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

class DispatcherSuspectTest : public test::DispatcherFixture {};

TEST_F(DispatcherSuspectTest, RunsASuspectAloneInItsProcess) {
  const WorkerId crashed{"crashed/1"};
  bus_.subscribe("h", "*", [](const Delivery&) {});
  publish(20);
  const HandlerRoom room{.handler = "h", .room = 20};
  ASSERT_EQ(
      memory_.bus()
          .claim({.worker = crashed, .handlers = {&room, 1}, .limit = 3, .lease = Duration{1}})
          .work.size(),
      3U);
  std::atomic<int> running = 0;
  std::atomic<bool> suspect_runs = false;
  std::atomic<int> overlaps = 0;
  std::atomic<int> suspects = 0;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    const bool suspect = delivery.attempt() > 1;
    if (suspect) suspect_runs = true;
    if (++running > 1 && suspect_runs) ++overlaps;
    suspects += suspect ? 1 : 0;
    std::this_thread::yield();
    --running;
    if (suspect) suspect_runs = false;
  });

  bus_.start(quiet()).run_until_idle();

  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 20U);
  EXPECT_EQ(suspects, 3);
  EXPECT_EQ(overlaps, 0);
}

TEST_F(DispatcherSuspectTest, DoesNotStayIdleForASuspectThatIsGone) {
  Signal long_began;
  Signal go;
  Signal quick;
  bus_.subscribe("h", "*", [&](const Delivery& delivery) {
    if (delivery.event().type != "long") return quick.raise();
    long_began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  const DeliveryId suspect = crash_one("h", "lane-of-its-own", milliseconds{300});
  bus_.publish({.type = "long", .key = "order-42"});  // Of another lane than the crashed one.
  Dispatcher dispatcher = bus_.start(quiet());
  ASSERT_TRUE(long_began.wait_for(1));
  ASSERT_TRUE(test::eventually(
      [&] { return Admin{memory_.bus()}.show(suspect)->standing == Standing::lease_expired; }));
  bus_.publish(
      {.type = "quick"});  // Its claim takes the crashed lease over and leaves the suspect.
  ASSERT_TRUE(quick.wait_for(1));
  ASSERT_EQ(memory_.bus().bury_selected({.delivery_id = suspect}, "operator"), 1);

  publish(5);

  EXPECT_TRUE(quick.wait_for(6));
  go.raise();
}

TEST_F(DispatcherSuspectTest, RunsASuspectAloneAmongAllDispatchersOfTheProcess) {
  Signal long_began;
  Signal go;
  Signal suspect_began;
  Bus other_bus{store_};
  bus_.subscribe("busy", "long", [&](const Delivery&) {
    long_began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  other_bus.subscribe("h", "t", [&](const Delivery&) { suspect_began.raise(); });
  crash_one("h", "k", Duration{1});
  bus_.publish({.type = "long", .key = "order-42"});  // Of another lane than the crashed one.
  const Dispatcher busy = bus_.start(quiet());
  ASSERT_TRUE(long_began.wait_for(1));

  const Dispatcher other = other_bus.start(quiet());

  EXPECT_TRUE(test::eventually([&] { return other.counters().claims >= 2; }));
  EXPECT_EQ(suspect_began.count(), 0);
  go.raise();
  EXPECT_TRUE(suspect_began.wait_for(1));
}

}  // namespace
}  // namespace penstock
