// Claims whose answer is lost: what they took comes back, and costs no attempt.
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

class DispatcherLostClaimTest : public test::DispatcherFixture {};

// What a claim took whose answer was lost comes back at once, though the lease it lies under is
// extended all the time for something that still runs.
TEST_F(DispatcherLostClaimTest, GetsBackWhatAClaimTookWhoseAnswerWasLost) {
  Signal began;
  Signal go;
  Signal handled;
  std::atomic<bool> lose_answers = false;
  std::atomic<int> lost_answers = 0;
  bus_.subscribe("slow", "slow", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  bus_.subscribe("h", "t", [&](const Delivery& delivery) {
    EXPECT_EQ(delivery.attempt(), 1);
    handled.raise();
  });
  store_.after = [&](std::string_view verb) {
    // The first of them is lost together with its claim, the next with what should mend it.
    if (verb != (lost_answers == 0 ? "claim" : "inherit") || !lose_answers) return;
    if (++lost_answers == 2) lose_answers = false;
    throw Error(ErrorKind::in_doubt, "the answer was lost");
  };
  bus_.publish({.type = "slow", .key = "k"});
  Dispatcher dispatcher = bus_.start(quiet({.concurrency = 2}));
  ASSERT_TRUE(began.wait_for(1));

  lose_answers = true;
  bus_.publish({.type = "t", .key = "k"});

  EXPECT_TRUE(handled.wait_for(1));
  EXPECT_EQ(lost_answers, 2);
  go.raise();
  dispatcher.run_until_idle();
  EXPECT_EQ(listed(DeliveryStatus::completed).size(), 2U);
  EXPECT_EQ(dispatcher.counters().lost, 0);
  dispatcher.stop();
  EXPECT_EQ(memory_.bus().statistics().takeovers, 0);
}

// The claimer does not come to mend it any more: the stop has to.
TEST_F(DispatcherLostClaimTest, GivesBackWhatALostClaimTookWhenItStops) {
  Signal began;
  Signal go;
  Signal refused;
  std::atomic<bool> lose_answer = false;
  std::atomic<std::thread::id> claimer;
  bus_.subscribe("slow", "slow", [&](const Delivery&) {
    began.raise();
    EXPECT_TRUE(go.wait_for(1));
  });
  bus_.subscribe("h", "t", [](const Delivery&) { ADD_FAILURE(); });
  store_.before = [&](std::string_view verb) {
    if (verb == "claim") claimer = std::this_thread::get_id();
    if (verb != "inherit" || claimer != std::this_thread::get_id()) return;
    refused.raise();
    throw Error(ErrorKind::unavailable, "the server is away");
  };
  store_.after = [&](std::string_view verb) {
    if (verb != "claim" || !lose_answer.exchange(false)) return;
    throw Error(ErrorKind::in_doubt, "the answer was lost");
  };
  bus_.publish({.type = "slow", .key = "k"});
  Dispatcher dispatcher = bus_.start(quiet({.concurrency = 2}));
  ASSERT_TRUE(began.wait_for(1));
  lose_answer = true;
  bus_.publish({.type = "t", .key = "k"});
  ASSERT_TRUE(refused.wait_for(1));

  std::jthread stopping([&] { dispatcher.stop(); });
  EXPECT_TRUE(test::eventually([&] { return listed(DeliveryStatus::pending).size() == 1; }));
  go.raise();
  stopping.join();

  const auto left = listed(DeliveryStatus::pending);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].attempts, 0);
  for (const LaneInfo& lane : memory_.bus().statistics().lanes) {
    EXPECT_FALSE(lane.owner) << "a lease was not handed back";
  }
}

}  // namespace
}  // namespace penstock
