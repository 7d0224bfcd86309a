// Backlogs of what cannot be claimed, and rows that come late: nothing is hidden for long, and no
// key waits longer than it has to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"
#include "support/signal.hpp"

namespace penstock::test {
namespace {

using ::testing::SizeIs;

class PostgresBacklog : public testing::Test {
 protected:
  void SetUp() override {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "h", .types = {"h"}});
    store_.bus().subscribe({.handler = "foreign", .types = {"foreign"}});
  }

  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\".\"" + object + '"';
  }
  BusStore& bus() { return store_.bus(); }
  void publish(const Event& event, std::size_t count) {
    const std::vector<Event> events(count, event);
    bus().publish(events, nullptr);
  }
  Claimed claim(std::size_t limit = 10) {
    const HandlerRoom room{.handler = "h", .room = 1'000};
    return bus().claim({.worker = worker_, .handlers = {&room, 1}, .limit = limit});
  }
  std::vector<Verdict> complete(const std::vector<Work>& batch) {
    std::vector<Token> tokens;
    for (const Work& work : batch) tokens.push_back(work.token);
    return bus().complete(tokens, nullptr);
  }

  const WorkerId worker_{"w"};
  const TestSchema schema_;
  const Session user_{schema_.url()};
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
};

TEST_F(PostgresBacklog, OfOneKeyGoesOnWithEachClaim) {
  publish({.type = "h", .key = "hot"}, 300);

  for (int i = 0; i < 300; ++i) {
    const Claimed claimed = claim();
    ASSERT_THAT(claimed.work, SizeIs(1)) << "after " << i;
    complete(claimed.work);
  }
}

TEST_F(PostgresBacklog, OfOneKeyDoesNotHideAnotherKeyOfItsLane) {
  publish({.type = "h", .key = "hot"}, 300);
  const std::vector<Work> slow = claim().work;
  ASSERT_THAT(slow, SizeIs(1));
  int other = 0;  // Of the same lane: found by trying.
  while (user_.ask("select " + name("lane_of") + "('k" + std::to_string(other) +
                   "') = " + name("lane_of") + "('hot')") != "t") {
    ++other;
  }
  publish({.type = "h", .key = "k" + std::to_string(other)}, 2);

  const Claimed claimed = claim();

  ASSERT_THAT(claimed.work, SizeIs(1));
  EXPECT_EQ(claimed.work[0].event->key, "k" + std::to_string(other));
}

TEST_F(PostgresBacklog, OfAnotherHandlerIsPassedAndThenLeftInPeace) {
  for (int i = 0; i < 4; ++i) publish({.type = "foreign"}, 1'000);
  user_.ask("update " + name("deliveries") + " set lane = 5");
  publish({.type = "h", .key = "in lane 5"}, 1);
  user_.ask("update " + name("deliveries") + " set lane = 5");

  int claims = 0;
  std::vector<Work> found;
  for (; claims < 1'000 && found.empty(); ++claims) {
    Claimed claimed = claim();
    if (claimed.work.empty()) {
      EXPECT_EQ(claimed.next_due_in, Duration{0}) << "ask again";
    }
    found = std::move(claimed.work);
  }
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_LT(claims, 100);
  complete(found);

  // Once everything was read in vain there is no reason to ask again at once.
  std::optional<Duration> next = Duration{0};
  for (int i = 0; i < 1'000 && next == Duration{0}; ++i) next = claim().next_due_in;
  EXPECT_NE(next, Duration{0});
}

TEST_F(PostgresBacklog, ARowThatIsCommittedLateIsFound) {
  // A publisher whose transaction is open for long commits with an old time, behind the mark.
  const Session slow{schema_.url()};
  slow.ask("begin");
  slow.ask("insert into " + name("events") +
           "(id, created_at, type, content_type, payload) values (gen_random_uuid(), now(), 'h', "
           "'c', '')");
  slow.ask("insert into " + name("deliveries") +
           "(event_id, handler, lane, available_at, created_at, updated_at) select id, 'h', 9, "
           "now() - interval '10 s', now(), now() from " +
           name("events") + " where content_type = 'c'");
  publish({.type = "h"}, 3);
  user_.ask("update " + name("deliveries") +
            " set lane = 9, available_at = now() - interval '5 s'");
  complete(claim().work);
  EXPECT_EQ(user_.ask("select mark_at is not null from " + name("lanes") + " where lane = 9"), "t");
  slow.ask("commit");

  EXPECT_TRUE(eventually([&] { return !claim().work.empty(); }));
}

TEST_F(PostgresBacklog, WhatIsReleasedIsFoundBehindTheMark) {
  publish({.type = "h"}, 3);
  user_.ask("update " + name("deliveries") +
            " set lane = 9, available_at = now() - interval '5 s'");
  const std::vector<Work> batch = claim().work;
  ASSERT_THAT(batch, SizeIs(3));
  EXPECT_EQ(user_.ask("select mark_id from " + name("lanes") + " where lane = 9"),
            std::to_string(batch[2].token.work_id));

  const Token token = batch[1].token;
  EXPECT_EQ(bus().release({&token, 1}).front(), Verdict::done);

  EXPECT_THAT(claim().work, SizeIs(1));
}

TEST_F(PostgresBacklog, ADeliveryWithoutItsEventIsBuriedAlone) {
  publish({.type = "h"}, 3);
  user_.ask("delete from " + name("events") + " where id = (select event_id from " +
            name("deliveries") + " order by id limit 1)");

  EXPECT_THAT(claim().work, SizeIs(2));

  const DeliveryPage dead = bus().list({.status = DeliveryStatus::dead});
  ASSERT_THAT(dead.items, SizeIs(1));
  EXPECT_THAT(dead.items[0].last_error, ::testing::HasSubstr("its event cannot be read"));
}

TEST_F(PostgresBacklog, LanesAreTheSameInEveryLanguage) {
  publish({.type = "h", .key = "日本"}, 1);
  EXPECT_EQ(user_.ask("select lane from " + name("deliveries")), "81");
  EXPECT_EQ(user_.ask("select " + name("lane_of") + "('日本')"), "81");
  EXPECT_EQ(user_.ask("select " + name("lane_of") + "('order-42')"), "244");
  EXPECT_EQ(user_.ask("select " + name("lane_of") + "('octo-org/octo-repo')"), "12");
}

}  // namespace
}  // namespace penstock::test
