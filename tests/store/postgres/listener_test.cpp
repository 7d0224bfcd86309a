// The wake-up on a real server: hints, who asks for them, and a listener that went deaf.
#include "store/postgres/listener.hpp"

#include <gmock/gmock.h>
#include <libpq-fe.h>

#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/database.hpp"
#include "support/postgres_server.hpp"
#include "support/stalling_proxy.hpp"

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Duration kLong = 20s;

class ListenerTest : public ::testing::Test {
 protected:
  void SetUp() override { database_.create(); }

  [[nodiscard]] PostgresStoreOptions options(const std::string& url) const {
    return {.connection = url, .schema = schema_.name()};
  }
  /// What publish does at its end.
  void notify_where_somebody_waits() const {
    schema_.ask("select pg_notify('penstock_' || (select tableoid from " + schema_.name() +
                ".meta limit 1), '') from " + schema_.name() + ".workers where waiting_until > " +
                schema_.name() + ".now() limit 1");
  }
  [[nodiscard]] std::string waiting() const {
    return schema_.ask("select count(*) from " + schema_.name() + ".workers");
  }
  /// Lets the listener work until as many wait as are wanted.
  [[nodiscard]] bool waits_until(Listener& listener, const std::string& wanted) const {
    for (int i = 0; i < 2'000; ++i) {
      if (waiting() == wanted) return true;
      (void)listener.wait(1ms);
    }
    return false;
  }
  template <typename Call>
  [[nodiscard]] static std::string failure_of(Call call) {
    try {
      call();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      return error.what();
    }
  }

  test::TestSchema schema_;
  Database database_{options(schema_.url())};
  Demand demand_;
  Demand::Steady::time_point start_ = Demand::Steady::now();
  ListenRhythm quick_{.check_every = 20ms, .answer_within = 200ms, .pause = 1ms};
};

TEST_F(ListenerTest, HintsWhereItWaited) {
  Listener listener(database_, demand_, {});

  notify_where_somebody_waits();

  EXPECT_EQ(listener.wait(kLong), Wakeup::Reason::hint);
  EXPECT_EQ(listener.wait(0ms), Wakeup::Reason::timeout);
}

TEST_F(ListenerTest, AsksForNothingWhileClaimsAreFull) {
  Listener listener(database_, demand_, quick_);
  demand_.claim_ended(Found::full_batch, start_);

  // The next notification finds it busy.
  notify_where_somebody_waits();
  EXPECT_TRUE(waits_until(listener, "0"));
}

TEST_F(ListenerTest, AsksAgainAndHintsOnceWhenItRunsOutOfWork) {
  Listener listener(database_, demand_, quick_);
  demand_.claim_ended(Found::full_batch, start_);
  ASSERT_TRUE(waits_until(listener, "0"));
  while (listener.wait(0ms) == Wakeup::Reason::hint) {
  }

  demand_.claim_ended(Found::nothing, start_ + 1s);

  EXPECT_EQ(listener.wait(kLong), Wakeup::Reason::hint) << "for what came between";
  EXPECT_EQ(waiting(), "1");
}

TEST_F(ListenerTest, StaysQuietWhileItProvesThatItIsAlive) {
  Listener listener(database_, demand_, {.check_every = 1ms, .answer_within = kLong});

  EXPECT_EQ(listener.wait(100ms), Wakeup::Reason::timeout);
  EXPECT_EQ(waiting(), "1");
}

TEST_F(ListenerTest, WaitsNoLongerThanItLives) {
  {
    const Listener listener(database_, demand_, {});
    EXPECT_EQ(waiting(), "1");
  }
  // Its last word was sent without waiting: another session's turn comes after it, or it expires.
  for (int i = 0; i < 2'000 && waiting() != "0"; ++i) {
  }
  EXPECT_EQ(waiting(), "0");
}

// Known fault 95: a half-open connection gives no sign of failure.
TEST_F(ListenerTest, FindsThatItWentDeaf) {
  test::StallingProxy proxy(test::shared_server());
  // Told, so that the proxy carries the listener alone.
  PostgresStoreOptions direct = options(proxy.url());
  direct.pooler = false;
  Database through(direct);
  Listener listener(through, demand_, quick_);
  EXPECT_EQ(listener.wait(60ms), Wakeup::Reason::timeout);

  proxy.stall();

  EXPECT_THAT(failure_of([&] { (void)listener.wait(kLong); }), HasSubstr("gave no answer in time"));
}

TEST_F(ListenerTest, IsInterruptedWhileItIsDeaf) {
  test::StallingProxy proxy(test::shared_server());
  PostgresStoreOptions direct = options(proxy.url());
  direct.pooler = false;
  Database through(direct);
  Listener listener(through, demand_, {.check_every = 1ms, .answer_within = kLong});
  proxy.stall();
  EXPECT_EQ(listener.wait(20ms), Wakeup::Reason::timeout);

  listener.interrupt();

  EXPECT_EQ(listener.wait(kLong), Wakeup::Reason::interrupted);
}

// Known fault 97: a dead connection is an error each time, not "nothing arrived".
TEST_F(ListenerTest, TellsThatTheServerEndedIt) {
  Listener listener(database_, demand_, {});
  schema_.ask(
      "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity where query like "
      "'%" +
      schema_.name() + "%' and pid <> pg_backend_pid()");

  EXPECT_NE(failure_of([&] { (void)listener.wait(kLong); }), "");
  EXPECT_NE(failure_of([&] { (void)listener.wait(kLong); }), "");
}

TEST_F(ListenerTest, TellsThatItsSessionWasReplaced) {
  test::PgBouncer bouncer(test::shared_server());
  PostgresStoreOptions wrong = options(bouncer.url());
  wrong.pooler = false;
  Database through(wrong);
  Listener listener(through, demand_, quick_);
  // Takes the session that listens, so that the next statement meets another.
  const test::Session other(bouncer.url());
  other.ask("begin");
  other.ask("select 1");

  EXPECT_THAT(failure_of([&] { (void)listener.wait(kLong); }),
              HasSubstr("does not listen any more"));
}

TEST_F(ListenerTest, HearsItsOwnProcessBehindAPooler) {
  test::PgBouncer bouncer(test::shared_server());
  Database through(options(bouncer.url()));
  PostgresBus bus(through);
  const std::unique_ptr<Wakeup> wakeup = bus.listen();
  const auto is_heard = [&](auto call) {
    call();
    const bool heard = wakeup->wait(kLong) == Wakeup::Reason::hint;
    return heard && wakeup->wait(1ms) == Wakeup::Reason::timeout;
  };
  const Event event{.type = "t"};

  EXPECT_TRUE(is_heard([&] { bus.publish({&event, 1}, nullptr); }));
  EXPECT_TRUE(is_heard([&] {
    const auto transaction = bus.begin();
    bus.publish({&event, 1}, transaction.get());
    EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
    transaction->commit();
  }));
  EXPECT_TRUE(is_heard([&] { bus.requeue({.all = true}); }));
  EXPECT_TRUE(is_heard([&] { bus.relinquish(WorkerId("w")); }));
  EXPECT_TRUE(is_heard([&] { bus.inherit(WorkerId("w"), WorkerId("v"), {}); }));
}

TEST_F(ListenerTest, HearsNoOthersBehindAPooler) {
  test::PgBouncer bouncer(test::shared_server());
  Database through(options(bouncer.url()));
  const std::unique_ptr<Wakeup> wakeup = listen(through, demand_);

  notify_where_somebody_waits();

  EXPECT_EQ(wakeup->wait(1ms), Wakeup::Reason::timeout);
  wakeup->interrupt();
  EXPECT_EQ(wakeup->wait(kLong), Wakeup::Reason::interrupted);
  EXPECT_EQ(waiting(), "0");
}

TEST_F(ListenerTest, ForgetsWhoDiedWaiting) {
  schema_.ask("insert into " + schema_.name() + ".workers values ('dead', now() - interval '2h')");

  const Listener listener(database_, demand_, {});

  EXPECT_EQ(waiting(), "1");
}

}  // namespace
}  // namespace penstock::postgres::detail
