// What an operator is told, and purging in batches.
#include "penstock/admin.hpp"

#include <gtest/gtest.h>

#include "penstock/error.hpp"
#include "penstock/stores/memory.hpp"
#include "support/intercepted_bus_store.hpp"

namespace penstock {
namespace {

using std::chrono::seconds;

class AdminTest : public testing::Test {
 protected:
  AdminTest() {
    store_.setup(SetupMode::migrate);
    store_.subscribe({.handler = "h", .types = {"*"}});
  }
  DeliveryId publish(std::optional<std::string> key = {}) {
    const Event event{.type = "t", .key = std::move(key), .id = EventId::generate()};
    store_.publish({&event, 1}, nullptr);
    return store_.list({.event_id = event.id}).items.at(0).id;
  }
  std::vector<Work> claim() {
    const HandlerRoom room{.handler = "h", .room = 10};
    return store_.claim({.worker = worker_, .handlers = {&room, 1}, .lease = seconds{10}}).work;
  }
  Standing standing(DeliveryId id) { return admin_.show(id).value().standing; }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  MemoryStore memory_{{.clock = clock_, .retain_completed = true}};
  test::InterceptedBusStore store_{memory_.bus()};
  Admin admin_{store_};
  WorkerId worker_{"w/1"};
};

TEST_F(AdminTest, KnowsNothingOfAnUnknownDelivery) {
  EXPECT_FALSE(admin_.show(DeliveryId{4711}));
  EXPECT_TRUE(admin_.show(EventId::generate()).empty());
}

TEST_F(AdminTest, ExplainsEveryStanding) {
  const DeliveryId id = publish();
  EXPECT_EQ(standing(id), Standing::ready);
  EXPECT_EQ(admin_.pause("h"), Verdict::done);
  EXPECT_EQ(standing(id), Standing::handler_paused);
  EXPECT_EQ(admin_.resume("h"), Verdict::done);
  const Work work = claim().at(0);
  EXPECT_EQ(standing(id), Standing::in_flight);
  clock_->advance(seconds{11});
  EXPECT_EQ(standing(id), Standing::lease_expired);
  const Reschedule later{.token = work.token, .delay = seconds{60}, .error = "x"};
  ASSERT_EQ(store_.reschedule({&later, 1}).at(0), Verdict::done);
  EXPECT_EQ(standing(id), Standing::not_due);
  EXPECT_EQ(admin_.remove("h"), Verdict::done);
  EXPECT_EQ(standing(id), Standing::no_handler);
  EXPECT_EQ(admin_.bury({.delivery_id = id}, "enough"), 1);
  EXPECT_EQ(standing(id), Standing::dead);
}

TEST_F(AdminTest, NamesTheDeliveryThatBlocksAKey) {
  const DeliveryId first = publish("k");
  const DeliveryId second = publish("k");
  EXPECT_EQ(standing(first), Standing::ready);

  EXPECT_EQ(standing(second), Standing::key_blocked);
  EXPECT_EQ(admin_.show(second)->blocked_by, first);
  ASSERT_EQ(claim().size(), 1U);
  EXPECT_EQ(admin_.show(second)->blocked_by, first);
  EXPECT_NE(admin_.show(second)->sentence.find(std::to_string(first.value)), std::string::npos);
}

TEST_F(AdminTest, ShowsACompletedDeliveryWhereHistoryIsKept) {
  const DeliveryId id = publish();
  const Token token = claim().at(0).token;
  ASSERT_EQ(store_.complete({&token, 1}, nullptr).at(0), Verdict::done);

  EXPECT_EQ(standing(id), Standing::completed);
}

TEST_F(AdminTest, PurgesUntilNothingIsLeftInBatchesThatShrink) {
  for (int i = 0; i < 30; ++i) publish();
  ASSERT_EQ(admin_.bury({.all = true}, "x"), 30);
  clock_->advance(std::chrono::days{31});
  int refusals = 6;  // 1,000 halved six times is 15.
  store_.before = [&](std::string_view verb) {
    if (verb == "purge" && refusals-- > 0) throw Error(ErrorKind::unavailable, "timed out");
  };

  const Purged purged = admin_.purge_expired();

  EXPECT_EQ(purged.dead, 30);
  EXPECT_EQ(purged.events, 30);
  EXPECT_FALSE(purged.more);
}

TEST_F(AdminTest, GivesUpOnAPurgeThatNeverWorks) {
  store_.before = [](std::string_view verb) {
    if (verb == "purge") throw Error(ErrorKind::unavailable, "timed out");
  };

  EXPECT_THROW(admin_.purge_expired(), Error);
}

}  // namespace
}  // namespace penstock
