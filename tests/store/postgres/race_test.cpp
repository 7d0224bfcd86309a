// Two calls at once, one of them held at the point where the other must not slip by: a function of
// the store is replaced by one that waits for a lock of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "penstock/error.hpp"
#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"
#include "support/signal.hpp"
#include "support/stalling_proxy.hpp"

namespace penstock::test {
namespace {

class PostgresRaceTest : public testing::Test {
 protected:
  void SetUp() override {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "h", .types = {"*"}});
  }
  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\"." + object;
  }
  /// Lets calls of `function` wait until `let_go`, in statements that name `table`. `body` is what
  /// it answers.
  void hold(const std::string& function, const std::string& table, const std::string& body) {
    user_.ask("create or replace function " + name(function) +
              " returns timestamptz language plpgsql as "
              "$$ begin if position('" +
              table +
              "' in current_query()) > 0 then "
              "perform pg_advisory_xact_lock_shared(4711); end if; return " +
              body + "; end $$");
    user_.ask("select pg_advisory_lock(4711)");
  }
  [[nodiscard]] bool somebody_waits() {
    return eventually([&] {
      return user_.ask(
                 "select count(*) from pg_locks where locktype = 'advisory' and not granted "
                 "and objid = 4711") != "0";
    });
  }
  void let_go() { user_.ask("select pg_advisory_unlock(4711)"); }
  EventId publish(const Event& event = {.type = "t"}) {
    return store_.bus().publish({&event, 1}, nullptr).front().id;
  }
  Claimed claim(const std::string& worker = "w") {
    const WorkerId owner(worker);
    const HandlerRoom room{.handler = "h", .room = 10};
    return store_.bus().claim({.worker = owner, .handlers = {&room, 1}});
  }

  const TestSchema schema_;
  const Session user_{schema_.url()};
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
};

TEST_F(PostgresRaceTest, APurgeKeepsAnEventThatIsPublishedAgainMeanwhile) {
  const EventId event = publish();
  const Token token = claim().work.at(0).token;
  ASSERT_EQ(store_.bus().complete({&token, 1}, nullptr).front(), Verdict::done);
  hold("now()", "events", "clock_timestamp()");
  auto purged = std::async(std::launch::async, [&] {
    return store_.bus().purge({.completed = Duration{0}, .dead = std::chrono::years{1}}, 100);
  });
  ASSERT_TRUE(somebody_waits());

  const Session publisher{schema_.url()};
  publisher.ask("begin");
  publisher.ask("update " + name("events") + " set handlers = handlers || array['late']");
  publisher.ask("insert into " + name("deliveries") +
                "(available_at, created_at, updated_at, event_id, lane, handler) values "
                "(now(), now(), now(), '" +
                event.to_string() + "', 1, 'late')");
  publisher.ask("commit");
  let_go();

  EXPECT_EQ(purged.get().events, 0);
  EXPECT_EQ(user_.ask("select count(*) from " + name("events")), "1");
}

TEST_F(PostgresRaceTest, AClaimThatHasPickedGivesNothingOutThatIsBuriedMeanwhile) {
  publish();
  hold("due_after(delay bigint)", "claim", "clock_timestamp() + interval '30 s'");
  auto claimed = std::async(std::launch::async, [&] { return claim(); });
  ASSERT_TRUE(somebody_waits());

  EXPECT_EQ(store_.bus().bury_selected({.all = true}, "not wanted"), 1);
  let_go();

  EXPECT_TRUE(claimed.get().work.empty());
  EXPECT_EQ(store_.bus().list({.status = DeliveryStatus::dead}).items.size(), 1U);
}

// As a key that is counted anew, its numbers would be given out twice.
TEST_F(PostgresRaceTest, APurgeKeepsAKeyThatIsUsedAgainMeanwhile) {
  publish({.type = "t", .key = "k"});
  const Token token = claim().work.at(0).token;
  ASSERT_EQ(store_.bus().complete({&token, 1}, nullptr).front(), Verdict::done);
  hold("now()", "keys", "clock_timestamp()");
  auto purged = std::async(std::launch::async, [&] {
    return store_.bus().purge({.completed = Duration{0}, .dead = std::chrono::years{1}}, 100);
  });
  ASSERT_TRUE(somebody_waits());

  const Session publisher{schema_.url()};
  publisher.ask("update " + name("keys") + " set sequence = 2");
  publisher.ask("insert into " + name("deliveries") +
                "(available_at, created_at, updated_at, event_id, lane, handler, key, sequence) "
                "values (now(), now(), now(), gen_random_uuid(), 1, 'h', 'k', 2)");
  let_go();

  EXPECT_EQ(purged.get().keys, 0);
  EXPECT_EQ(user_.ask("select sequence from " + name("keys")), "2");
}

TEST_F(PostgresRaceTest, AClaimThatCannotBuryWhatIsUnreadableIsInDoubt) {
  publish({.type = "t", .key = "healthy"});
  const EventId damaged = publish();
  user_.ask("delete from " + name("events") + " where id = '" + damaged.to_string() + "'");
  user_.ask("alter function " + name("bury") + " rename to hidden_bury");

  try {
    (void)claim("former");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::in_doubt) << error.what();
  }
  user_.ask("alter function " + name("hidden_bury") + " rename to bury");
  store_.bus().inherit(WorkerId("former"), WorkerId("successor"), {});
  EXPECT_EQ(claim("successor").work.size(), 1U);
  EXPECT_EQ(store_.bus().list({.status = DeliveryStatus::dead}).items.size(), 1U);
}

// Claiming again would leave in flight for ever what the first claim has taken.
TEST_F(PostgresRaceTest, AClaimWhoseAnswerIsLostIsInDoubtAndNotRepeated) {
  StallingProxy proxy(shared_server());
  PostgresStore far{{.connection = proxy.url(), .schema = schema_.name()}};
  const WorkerId former("former");
  const WorkerId successor("successor");
  const HandlerRoom room{.handler = "h", .room = 10};
  ASSERT_TRUE(far.bus().claim({.worker = former, .handlers = {&room, 1}}).work.empty());
  publish();
  proxy.lose_next_answer();

  try {
    (void)far.bus().claim({.worker = former, .handlers = {&room, 1}});
    ADD_FAILURE() << "the claim was repeated";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::in_doubt) << error.what();
  }
  EXPECT_EQ(store_.bus().list({.status = DeliveryStatus::in_flight}).items.size(), 1U);
  far.bus().inherit(former, successor, {});
  EXPECT_EQ(far.bus().claim({.worker = successor, .handlers = {&room, 1}}).work.size(), 1U);
}

// The server does not notice at once that the client of a claim has gone.
TEST_F(PostgresRaceTest, AClaimThatOutlivesItsClientTakesNothingFromALaneThatWasInherited) {
  publish({.type = "t", .key = "k"});
  const Token running = claim("former").work.at(0).token;
  publish({.type = "t"});
  user_.ask("update " + name("deliveries") + " set lane = " + std::to_string(running.fence[0]));
  hold("due_after(delay bigint)", "claim", "clock_timestamp() + interval '30 s'");
  auto late = std::async(std::launch::async, [&] { return claim("former"); });
  ASSERT_TRUE(somebody_waits());

  store_.bus().inherit(WorkerId("former"), WorkerId("successor"), {&running, 1});
  let_go();

  EXPECT_TRUE(late.get().work.empty());
  EXPECT_EQ(claim("successor").work.size(), 1U);
  EXPECT_EQ(store_.bus().complete({&running, 1}, nullptr).front(), Verdict::done);
}

}  // namespace
}  // namespace penstock::test
