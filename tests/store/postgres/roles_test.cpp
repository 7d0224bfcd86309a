// The roles of roles.sql: what each may do, and that it may do nothing else.
#include <gmock/gmock.h>

#include "penstock/error.hpp"
#include "penstock/store.hpp"
#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"

namespace penstock {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// A store set up by its owner. Roles belong to the whole server, so the prefix makes their names
/// those of this test alone.
class RolesTest : public ::testing::Test {
 protected:
  RolesTest() {
    owner_.bus().setup(SetupMode::migrate);
    owner_.bus().subscribe({.handler = "mail", .types = {"*"}});
    // The strictest server: functions are for those who were granted them.
    schema_.ask("revoke execute on all functions in schema " + schema_.name() + " from public");
    schema_.ask(roles_script(schema_.url() + "&schema=" + schema_.name() + "&prefix=" + prefix_));
  }
  ~RolesTest() override {
    for (const char* name : {"admin", "worker", "publisher"}) {
      const std::string role = role_named(name);
      schema_.ask("drop owned by " + role + "; drop role " + role);
    }
  }

  [[nodiscard]] std::string role_named(const std::string& name) const {
    return prefix_ + "penstock_" + name;
  }
  [[nodiscard]] std::string url_of(const std::string& name) const {
    return schema_.url() + "&options=-c%20role%3D" + role_named(name);
  }
  [[nodiscard]] std::unique_ptr<PostgresStore> store_of(const std::string& name) const {
    return std::make_unique<PostgresStore>(PostgresStoreOptions{.connection = url_of(name),
                                                                .schema = schema_.name(),
                                                                .prefix = prefix_,
                                                                .completion_history = true});
  }
  /// `~` in `sql` stands for schema and prefix.
  [[nodiscard]] std::string here(std::string sql) const {
    for (std::size_t at = sql.find('~'); at != std::string::npos; at = sql.find('~', at)) {
      sql.replace(at, 1, schema_.name() + "." + prefix_);
    }
    return sql;
  }
  void expect_refused(const std::string& role, const std::vector<std::string>& statements) const {
    const test::Session session(url_of(role));
    ASSERT_EQ(session.ask("select current_user"), role_named(role));
    for (const std::string& statement : statements) {
      std::string answer = "nothing was refused";
      try {
        session.ask(here(statement));
      } catch (const std::runtime_error& error) {
        answer = error.what();
      }
      EXPECT_THAT(answer,
                  ::testing::AnyOf(HasSubstr("permission denied"), HasSubstr("must be owner")))
          << statement;
    }
  }
  template <typename Call>
  static void expect_no_right(Call call) {
    try {
      call();
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.store_code(), "42501") << error.what();
      EXPECT_THAT(error.what(), HasSubstr("grant this role what penstock needs"));
    }
  }
  static std::vector<Published> publish(BusStore& bus, const Event& event) {
    return bus.publish({&event, 1}, nullptr);
  }
  Claimed claim(BusStore& bus) const {
    const HandlerRoom room{.handler = "mail", .room = 100};
    return bus.claim({.worker = worker_, .handlers = {&room, 1}, .limit = 100});
  }

  const test::TestSchema schema_;
  const std::string prefix_ = "r" + schema_.name() + "_";
  const WorkerId worker_{"w"};
  PostgresStore owner_{{.connection = schema_.url(), .schema = schema_.name(), .prefix = prefix_}};
};

TEST_F(RolesTest, APublisherPublishes) {
  const auto store = store_of("publisher");
  store->bus().setup(SetupMode::check);

  const EventId id = publish(store->bus(), {.type = "a", .key = "k", .payload = "x"})[0].id;
  const Published again = publish(store->bus(), {.type = "a", .key = "k", .id = id})[0];

  EXPECT_EQ(again.status, PublishStatus::duplicate);
  const test::Session session(url_of("publisher"));
  session.ask(here("select ~publish('a', 'x', 'k')"));
  session.ask(here("select ~publish_many('[{\"type\": \"a\", \"payload\": 1, \"key\": \"k\"}]')"));
  owner_.bus().subscribe({.handler = "late", .types = {"a"}});
  EXPECT_THAT(publish(store->bus(), {.type = "a", .id = id})[0].handlers,
              ::testing::ElementsAre("late"));
  EXPECT_EQ(owner_.bus().list({}).items.size(), 4U);
}

TEST_F(RolesTest, APublisherDoesNothingElse) {
  const auto store = store_of("publisher");
  publish(store->bus(), {.type = "a"});

  expect_no_right([&] { static_cast<void>(claim(store->bus())); });
  expect_no_right([&] { static_cast<void>(store->bus().list({})); });
  expect_no_right([&] { static_cast<void>(store->bus().purge({}, 10)); });
  expect_no_right([&] { store->bus().subscribe({.handler = "h", .types = {"*"}}); });
  expect_refused("publisher", {"select payload from ~events",
                               "select headers from ~events",
                               "update ~events set type = 'b'",
                               "delete from ~events",
                               "select * from ~deliveries",
                               "update ~deliveries set attempts = 0",
                               "delete from ~deliveries",
                               "delete from ~keys",
                               "select * from ~lanes",
                               "update ~lanes set epoch = 0",
                               "select * from ~completed",
                               "delete from ~subscriptions",
                               "update ~subscriptions set paused = true",
                               "insert into ~workers values ('w', now())",
                               "update ~meta set value = 0",
                               "truncate ~events",
                               "truncate ~deliveries",
                               "drop table ~events",
                               "alter table ~events add column x integer",
                               "create table ~more (id integer)",
                               "drop function ~wake()"});
}

TEST_F(RolesTest, AWorkerWorks) {
  for (int i = 0; i < 6; ++i) {
    publish(owner_.bus(), {.type = "a", .key = i % 2 == 0 ? "k" + std::to_string(i) : "same"});
  }
  const auto store = store_of("worker");
  BusStore& bus = store->bus();
  bus.setup(SetupMode::check);
  bus.subscribe({.handler = "mail", .types = {"*"}, .max_attempts = 3});
  const auto wakeup = bus.listen();
  EXPECT_EQ(wakeup->wait(Duration{0}), Wakeup::Reason::timeout);

  const std::vector<Work> work = claim(bus).work;
  ASSERT_EQ(work.size(), 4U);
  EXPECT_THAT(bus.extend(std::vector{work[0].token}, std::chrono::seconds{30}),
              Each(Verdict::done));
  EXPECT_THAT(bus.complete(std::vector{work[0].token}, nullptr), Each(Verdict::done));
  EXPECT_THAT(bus.reschedule(std::vector{Reschedule{.token = work[1].token, .error = "e"}}),
              Each(Verdict::done));
  EXPECT_THAT(bus.bury(std::vector{Bury{.token = work[2].token, .reason = "r"}}),
              Each(Verdict::done));
  EXPECT_THAT(bus.release(std::vector{work[3].token}), Each(Verdict::done));
  bus.relinquish(worker_);
  for (Claimed next = claim(bus); !next.work.empty(); next = claim(bus)) {
    for (const Work& one : next.work) {
      const auto transaction = bus.begin();
      EXPECT_THAT(bus.complete(std::vector{one.token}, transaction.get()), Each(Verdict::done));
      transaction->commit();
    }
  }
  EXPECT_EQ(bus.statistics().handlers.at("mail").completed, 5);
  EXPECT_EQ(bus.list({.status = DeliveryStatus::dead}).items.size(), 1U);
  const Purged purged = bus.purge({.completed = Duration{0}, .dead = Duration{0}}, 100);
  EXPECT_EQ(purged.dead, 1);
  EXPECT_EQ(purged.history, 5);
}

TEST_F(RolesTest, AWorkerTakesOverWhatACrashLeft) {
  publish(owner_.bus(), {.type = "a"});
  publish(owner_.bus(), {.type = "a"});
  const HandlerRoom room{.handler = "mail", .room = 100};
  const WorkerId dead("dead");
  ASSERT_EQ(owner_.bus()
                .claim({.worker = dead, .handlers = {&room, 1}, .lease = std::chrono::hours{1}})
                .work.size(),
            2U);
  schema_.ask(here("update ~lanes set lease_expires_at = lease_expires_at - interval '2 hours'"));
  const auto store = store_of("worker");

  const Claimed claimed = store->bus().claim({.worker = worker_,
                                              .handlers = {&room, 1},
                                              .limit = 100,
                                              .suspects = SuspectPolicy::take_alone});

  ASSERT_EQ(claimed.work.size(), 1U);
  EXPECT_TRUE(claimed.work.front().suspect);
}

TEST_F(RolesTest, AWorkerNeitherPublishesNorAdministers) {
  const auto store = store_of("worker");

  expect_no_right([&] { publish(store->bus(), {.type = "a"}); });
  expect_no_right([&] {
    static_cast<void>(store->bus().set_subscription_state("mail", SubscriptionState::paused));
  });
  expect_no_right([&] {
    static_cast<void>(store->bus().set_subscription_state("mail", SubscriptionState::removed));
  });
  publish(owner_.bus(), {.type = "a"});
  expect_no_right([&] { (void)store->bus().bury_selected({.all = true}, "not wanted"); });
  ASSERT_EQ(owner_.bus().bury_selected({.all = true}, "not wanted"), 1);
  expect_no_right([&] { (void)store->bus().requeue({.all = true}); });
  expect_refused(
      "worker",
      {"select ~publish('a', '')", "insert into ~deliveries default values",
       "insert into ~events default values", "delete from ~subscriptions",
       "update ~subscriptions set paused = true", "update ~subscriptions set handler = 'other'",
       "update ~events set payload = ''", "delete from ~lanes", "insert into ~lanes default values",
       "delete from ~meta", "truncate ~deliveries", "drop table ~deliveries",
       "alter table ~deliveries add column x integer", "create table ~more (id integer)",
       "drop function ~wake()"});
}

TEST_F(RolesTest, AnAdminLooksAfterThings) {
  const EventId event = publish(owner_.bus(), {.type = "a"})[0].id;
  const auto store = store_of("admin");
  BusStore& bus = store->bus();
  bus.setup(SetupMode::check);

  EXPECT_EQ(bus.list({.detail = Detail::with_event}).items.size(), 1U);
  EXPECT_EQ(bus.bury_selected({.event_id = event}, "not wanted"), 1);
  EXPECT_EQ(bus.requeue({.event_id = event}), 1);
  EXPECT_EQ(claim(bus).work.size(), 1U);
  EXPECT_EQ(bus.set_subscription_state("mail", SubscriptionState::paused), Verdict::done);
  EXPECT_EQ(bus.set_subscription_state("mail", SubscriptionState::active), Verdict::done);
  EXPECT_EQ(bus.set_subscription_state("mail", SubscriptionState::removed), Verdict::done);
  EXPECT_EQ(bus.bury_selected({.all = true}, "not wanted"), 1);
  EXPECT_EQ(bus.purge({.completed = Duration{0}, .dead = Duration{0}}, 10).dead, 1);
  EXPECT_EQ(bus.statistics().handlers.size(), 0U);
}

TEST_F(RolesTest, AnAdminChangesNoTableAndPublishesNothing) {
  const auto store = store_of("admin");

  expect_no_right([&] { publish(store->bus(), {.type = "a"}); });
  expect_refused("admin",
                 {"select ~publish('a', '')", "insert into ~events default values",
                  "update ~events set payload = ''", "truncate ~events", "truncate ~completed",
                  "drop table ~lanes", "alter table ~lanes add column x integer",
                  "create table ~more (id integer)", "drop function ~wake()",
                  "drop schema " + schema_.name() + " cascade"});
}

TEST_F(RolesTest, TheScriptCanBeRunAgain) {
  schema_.ask(roles_script(schema_.url() + "&schema=" + schema_.name() + "&prefix=" + prefix_));

  publish(store_of("publisher")->bus(), {.type = "a"});
  EXPECT_EQ(owner_.bus().list({}).items.size(), 1U);
}

TEST(Roles, OnlyPostgresHasThem) {
  EXPECT_THROW(static_cast<void>(roles_script("sqlite:orders.db")), Error);
  EXPECT_THROW(static_cast<void>(roles_script("memory:")), Error);
}

}  // namespace
}  // namespace penstock
