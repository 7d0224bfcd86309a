// The front door of the bus.
#include "penstock/bus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "penstock/error.hpp"
#include "penstock/stores/memory.hpp"
#include "support/intercepted_bus_store.hpp"

namespace penstock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BusTest : public testing::Test {
 protected:
  MemoryStore memory_;
  test::InterceptedBusStore store_{memory_.bus()};
  Bus bus_{store_};
};

TEST_F(BusTest, TellsWhichHandlersGotADelivery) {
  bus_.subscribe("audit", "*", [](const Delivery&) {});
  bus_.subscribe("mail", {"order.paid", "order.refunded"}, [](const Delivery&) {});

  EXPECT_THAT(bus_.publish({.type = "order.paid"}).handlers, ElementsAre("audit", "mail"));
  EXPECT_THAT(bus_.publish({.type = "order.placed"}).handlers, ElementsAre("audit"));
}

TEST_F(BusTest, TakesAPatternInAnyForm) {
  const std::string text = "a.*";
  bus_.subscribe("1", "a.*", [](const Delivery&) {});
  bus_.subscribe("2", std::string_view{text}, [](const Delivery&) {});
  bus_.subscribe("3", text, [](const Delivery&) {});
  bus_.subscribe("4", std::vector<std::string>{text}, [](const Delivery&) {});

  EXPECT_THAT(bus_.publish({.type = "a.b"}).handlers, ElementsAre("1", "2", "3", "4"));
}

TEST_F(BusTest, MakesARepeatedPublishHarmless) {
  bus_.subscribe("h", "*", [](const Delivery&) {});
  const Event event{.type = "t", .id = EventId::generate()};

  const Published first = bus_.publish(event);
  const Published second = bus_.publish(event);

  EXPECT_EQ(first.status, PublishStatus::created);
  EXPECT_EQ(second.status, PublishStatus::duplicate);
  EXPECT_EQ(second.id, *event.id);
  EXPECT_THAT(second.handlers, IsEmpty());
}

TEST_F(BusTest, RefusesABadHandlerBeforeAnythingIsWritten) {
  const auto nothing = [](const Delivery&) {};
  EXPECT_THROW(bus_.subscribe("", "*", nothing), Error);
  EXPECT_THROW(bus_.subscribe("h", "order.*.late", nothing), Error);
  EXPECT_THROW(bus_.subscribe("h", std::vector<std::string>{}, nothing), Error);
  EXPECT_THROW(bus_.subscribe("h", "*", nothing, {.timeout = Duration{-1}}), Error);
  EXPECT_THROW(bus_.subscribe("h", "*", nothing, {.max_attempts = 0}), Error);
  EXPECT_THROW(bus_.subscribe("h", "*", nothing, {.retry_delay = nullptr}), Error);

  EXPECT_THAT(memory_.bus().subscriptions(), IsEmpty());
}

TEST_F(BusTest, SetsUpTheStoreOnceEvenWhenManyThreadsPublishFirst) {
  std::atomic<int> setups = 0;
  store_.before = [&](std::string_view verb) { setups += verb == "setup" ? 1 : 0; };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { bus_.publish({.type = "t"}); });
  }

  EXPECT_EQ(setups, 1);
  EXPECT_EQ(memory_.published().size(), 8U);
}

TEST_F(BusTest, SetsUpOnRequestForAProgramThatOnlyPublishesInItsOwnTransactions) {
  std::vector<std::string> calls;
  store_.before = [&](std::string_view verb) { calls.emplace_back(verb); };

  bus_.setup();
  const auto transaction = store_.begin();
  bus_.publish(*transaction, {.type = "t"});

  EXPECT_THAT(calls, ElementsAre("setup", "begin", "publish"));
}

TEST_F(BusTest, TriesTheSetupAgainAfterItFailed) {
  bool fail = true;
  store_.before = [&](std::string_view verb) {
    if (verb == "setup" && std::exchange(fail, false)) throw Error(ErrorKind::unavailable, "away");
  };

  EXPECT_THROW(bus_.publish({.type = "t"}), Error);
  EXPECT_NO_THROW(bus_.publish({.type = "t"}));
}

TEST_F(BusTest, UnsubscribesForEveryProcess) {
  bus_.subscribe("h", "*", [](const Delivery&) {});

  EXPECT_EQ(bus_.unsubscribe("h"), Verdict::done);
  EXPECT_EQ(bus_.unsubscribe("h"), Verdict::lost);

  EXPECT_THAT(bus_.publish({.type = "t"}).handlers, IsEmpty());
}

TEST_F(BusTest, PublishesInATransactionOrNotAtAll) {
  bus_.subscribe("h", "*", [](const Delivery&) {});
  {
    const auto abandoned = memory_.bus().begin();
    bus_.publish(*abandoned, {.type = "t"});
  }
  EXPECT_THAT(memory_.published(), IsEmpty());

  const auto transaction = memory_.bus().begin();
  bus_.publish(*transaction, {.type = "t"});
  EXPECT_THAT(memory_.published(), IsEmpty());
  transaction->commit();

  EXPECT_EQ(memory_.published().size(), 1U);
}

}  // namespace
}  // namespace penstock
