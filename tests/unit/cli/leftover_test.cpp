// What is left behind, told apart by what it waits for.
#include "commands/leftover.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "penstock/stores/memory.hpp"

namespace penstock::cli {
namespace {

using namespace std::chrono_literals;

class LeftoverTest : public testing::Test {
 protected:
  LeftoverTest() { bus().subscribe({.handler = "h", .types = {"*"}}); }

  BusStore& bus() { return store_.bus(); }
  ManualClock& clock() { return *clock_; }

  void publish(const std::optional<std::string>& key = std::nullopt) {
    const Event event{.type = "t", .key = key};
    bus().publish({&event, 1}, nullptr);
  }
  std::vector<Work> claim() {
    const WorkerId worker{"elsewhere"};
    const HandlerRoom room{"h", 100};
    return bus().claim({.worker = worker, .handlers = {&room, 1}, .limit = 100}).work;
  }
  /// Puts everything off that can be taken.
  void put_off(Duration delay) {
    for (const Work& work : claim()) {
      const Reschedule again{.token = work.token, .delay = delay, .charge = Charge::keep};
      ASSERT_EQ(bus().reschedule({&again, 1}).at(0), Verdict::done);
    }
  }

 private:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  MemoryStore store_{{.clock = clock_}};
};

TEST_F(LeftoverTest, IsNothingWhereAllIsDone) {
  const Leftover left = leftover_of(bus(), "h");

  EXPECT_EQ(left.pending, 0);
  EXPECT_EQ(sentence_of(left, RunEnd::idle), "");
}

TEST_F(LeftoverTest, TellsWhatIsDueLaterAndWhenTheNextIs) {
  publish();
  put_off(2h);
  publish("k");
  put_off(1h);
  clock().advance(30min);

  const Leftover left = leftover_of(bus(), "h");

  EXPECT_EQ(left.due_later, 2);
  EXPECT_EQ(left.next_due_in, 30min);
  EXPECT_EQ(sentence_of(left, RunEnd::idle), "left behind: 2 due later (next in 30m)");
}

TEST_F(LeftoverTest, TellsWhatWaitsBehindOneThatIsPutOffOrInFlight) {
  publish("a");
  put_off(1h);
  publish("a");
  publish("b");
  ASSERT_EQ(claim().size(), 1U);
  publish("b");
  publish("b");

  const Leftover left = leftover_of(bus(), "h");

  EXPECT_EQ(left.pending, 4);
  EXPECT_EQ(left.waiting_for_key, 3);
  EXPECT_EQ(left.due_later, 1);
  EXPECT_EQ(left.in_flight, 1);
  EXPECT_EQ(sentence_of(left, RunEnd::idle),
            "left behind: 3 waiting for their key, 1 due later (next in 1h), 1 in flight "
            "elsewhere");
}

TEST_F(LeftoverTest, TellsWhatIsPausedAndWhatIsOfOthers) {
  bus().subscribe({.handler = "other", .types = {"*"}});
  publish();
  publish();
  ASSERT_EQ(bus().set_subscription_state("h", SubscriptionState::paused), Verdict::done);

  const Leftover left = leftover_of(bus(), "h");

  EXPECT_EQ(left.paused, 2);
  EXPECT_EQ(left.due, 0);
  EXPECT_EQ(left.other_handlers, 2);
}

TEST_F(LeftoverTest, TellsWhatIsDueAllTheSame) {
  publish();

  EXPECT_EQ(leftover_of(bus(), "h").due, 1);
}

// Among them may be one that this very run put off for a moment.
TEST_F(LeftoverTest, BlamesNobodyForWhatBecameDueAfterTheRun) {
  publish();
  put_off(1ms);
  clock().advance(1ms);

  EXPECT_EQ(sentence_of(leftover_of(bus(), "h"), RunEnd::idle),
            "left behind: 1 due since the last look, or in lanes of other workers");
}

TEST_F(LeftoverTest, GivesNoReasonForWhatIsDueWhereTheRunWasCutShort) {
  publish();

  EXPECT_EQ(sentence_of(leftover_of(bus(), "h"), RunEnd::stopped), "left behind: 1 due");
}

TEST_F(LeftoverTest, LooksAtABoundedNumberAndSaysSo) {
  const std::vector<Event> events(static_cast<std::size_t>(kLookedAt) + 5, Event{.type = "t"});
  bus().publish(events, nullptr);

  const Leftover left = leftover_of(bus(), "h");

  EXPECT_EQ(left.pending, kLookedAt + 5);
  EXPECT_EQ(left.due, kLookedAt);
  EXPECT_THAT(sentence_of(left, RunEnd::idle),
              testing::HasSubstr("5 pending that were not looked at"));
}

}  // namespace
}  // namespace penstock::cli
