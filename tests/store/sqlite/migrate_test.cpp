// Setup: repeatable, safe with many starters, refusing what it does not know.
#include "store/sqlite/migrate.hpp"

#include <thread>

#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

using SqliteSetup = SqliteFile;

TEST_F(SqliteSetup, TwiceIsOnce) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  publish(store->bus());

  store->bus().setup(SetupMode::migrate);
  store->bus().setup(SetupMode::check);

  EXPECT_EQ(list(store->bus()).size(), 1U);
}

TEST_F(SqliteSetup, TwentyThreadsAtOnceMakeOneSchema) {
  std::vector<std::optional<ErrorKind>> failures(20);
  {
    std::vector<std::jthread> starters;
    for (std::optional<ErrorKind>& failure : failures) {
      starters.emplace_back(
          [&] { failure = kind_of([&] { set_up()->bus().setup(SetupMode::check); }); });
    }
  }

  EXPECT_THAT(failures, ::testing::Each(std::nullopt));
  EXPECT_EQ(PlainConnection{path()}.number("select count(*) from penstock_lanes"), 256);
}

TEST_F(SqliteSetup, TwentyProcessesAtOnceMakeOneSchema) {
  std::vector<std::unique_ptr<Child>> starters;
  for (int i = 0; i < 20; ++i) {
    starters.push_back(std::make_unique<Child>([&] {
      const auto store = set_up();
      subscribe(store->bus(), "h");
      publish(store->bus());
      return 0;
    }));
  }
  for (const auto& starter : starters) EXPECT_EQ(starter->wait(), 0);

  const auto store = open();
  EXPECT_EQ(list(store->bus()).size(), 20U);
}

// Known fault 109: a migrator killed after each of its statements. The next start converges.
TEST_F(SqliteSetup, AKillAfterAnyStatementIsHarmless) {
  const std::string script = sqlite::detail::schema_script();
  std::vector<std::string> statements;
  {
    PlainConnection memory{":memory:"};
    const char* rest = script.c_str();
    while (*rest != '\0') {
      const char* begin = rest;
      sqlite3_stmt* statement = nullptr;
      ASSERT_EQ(sqlite3_prepare_v2(memory.handle(), begin, -1, &statement, &rest), SQLITE_OK)
          << sqlite3_errmsg(memory.handle());
      sqlite3_step(statement);
      sqlite3_finalize(statement);
      statements.emplace_back(begin, rest);
    }
  }
  ASSERT_GT(statements.size(), 20U);

  for (std::size_t killed_after = 1; killed_after < statements.size(); ++killed_after) {
    const std::string file = folder().path("killed-" + std::to_string(killed_after) + ".db");
    Child migrator{[&] {
      sqlite3* connection = nullptr;
      sqlite3_open(file.c_str(), &connection);
      for (std::size_t i = 0; i < killed_after; ++i) {
        sqlite3_exec(connection, statements[i].c_str(), nullptr, nullptr, nullptr);
      }
      return 0;  // Without closing: the process is gone.
    }};
    ASSERT_EQ(migrator.wait(), 0);

    const auto store = set_up({.path = file});
    subscribe(store->bus(), "h");
    publish(store->bus());
    EXPECT_EQ(claim(store->bus()).work.size(), 1U) << killed_after;
  }
}

// Known fault 111: whoever gives up in the middle leaves no lock behind.
TEST_F(SqliteSetup, AStarterThatGaveUpBlocksNobody) {
  Child starter{[&] {
    sqlite3* connection = nullptr;
    sqlite3_open(path().c_str(), &connection);
    return sqlite3_exec(connection, "begin immediate", nullptr, nullptr, nullptr);
  }};
  ASSERT_EQ(starter.wait(), SQLITE_OK);

  EXPECT_EQ(kind_of([&] { static_cast<void>(set_up({.busy_timeout = std::chrono::seconds{5}})); }),
            std::nullopt);
}

TEST_F(SqliteSetup, RefusesANewerSchemaInEveryMode) {
  static_cast<void>(set_up());
  PlainConnection{path()}.run("update penstock_meta set value = 99 where name = 'schema_version'");
  const auto store = open();

  for (const SetupMode mode : {SetupMode::migrate, SetupMode::check}) {
    const std::optional<Error> error = error_of([&] { store->bus().setup(mode); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::schema);
    EXPECT_THAT(error->what(), ::testing::HasSubstr("upgrade the program"));
  }
  EXPECT_EQ(kind_of([&] { publish(store->bus()); }), ErrorKind::schema);
}

TEST_F(SqliteSetup, CheckNamesTheCommandAndMakesNothing) {
  const auto store = open();

  const std::optional<Error> error = error_of([&] { store->bus().setup(SetupMode::check); });

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::schema);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("penstock setup"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SqliteSetup, EveryCallBeforeItThrowsSchema) {
  PlainConnection{path()}.run("create table orders(id integer)");
  const auto store = open();
  BusStore& bus = store->bus();
  const WorkerId worker{"w"};
  const Token token{};
  const Reschedule later{};
  const Bury never{};

  const std::vector<std::function<void()>> calls{
      [&] { publish(bus); },
      [&] { static_cast<void>(claim(bus)); },
      [&] { static_cast<void>(bus.extend({&token, 1}, std::chrono::seconds{1})); },
      [&] { static_cast<void>(bus.complete({&token, 1}, nullptr)); },
      [&] { static_cast<void>(bus.reschedule({&later, 1})); },
      [&] { static_cast<void>(bus.bury({&never, 1})); },
      [&] { static_cast<void>(bus.release({&token, 1})); },
      [&] { bus.relinquish(worker); },
      [&] { static_cast<void>(bus.begin()); },
      [&] { subscribe(bus, "h"); },
      [&] { static_cast<void>(bus.set_subscription_state("h", SubscriptionState::paused)); },
      [&] { static_cast<void>(bus.subscriptions()); },
      [&] { static_cast<void>(bus.list({})); },
      [&] { bus.requeue({.all = true}); },
      [&] { bus.bury_selected({.all = true}, "why"); },
      [&] { bus.purge({}, 10); },
      [&] { static_cast<void>(bus.statistics()); }};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(kind_of(calls[i]), ErrorKind::schema) << "call " << i;
  }
}

// The file is the user's: other tables, a version number of their own, and another journal mode.
TEST_F(SqliteSetup, LivesInAFileOfTheUsersOwn) {
  PlainConnection plain{path()};
  plain.run(
      "pragma user_version = 42; pragma application_id = 7; create table orders(id integer);"
      "insert into orders values (1)");

  const auto store = set_up();
  subscribe(store->bus(), "h");
  publish(store->bus());

  EXPECT_EQ(plain.number("pragma user_version"), 42);
  EXPECT_EQ(plain.number("pragma application_id"), 7);
  EXPECT_EQ(plain.number("select count(*) from orders"), 1);
  EXPECT_EQ(plain.number("select count(*) from sqlite_schema where name not like 'penstock_%'"
                         " and name not like 'sqlite_%'"),
            1);
}

TEST_F(SqliteSetup, DroppingTakesWhatItMadeAndLeavesTheRest) {
  {
    const auto store = set_up();
    subscribe(store->bus(), "h");
    publish(store->bus());
  }
  PlainConnection plain{path()};
  plain.run("create table orders(id integer)");

  sqlite::detail::drop_tables(path());
  sqlite::detail::drop_tables(path());

  EXPECT_EQ(plain.number("select count(*) from sqlite_schema where name like 'penstock_%'"), 0);
  EXPECT_EQ(plain.number("select count(*) from sqlite_schema where name = 'orders'"), 1);
  ASSERT_NE(set_up(), nullptr);
  EXPECT_TRUE(list(open()->bus()).empty());
}

TEST_F(SqliteSetup, TheScriptMakesTheSameTables) {
  PlainConnection plain{path()};
  plain.run(sqlite::detail::schema_script());

  const auto store = open();
  store->bus().setup(SetupMode::check);
  subscribe(store->bus(), "h");
  publish(store->bus());

  EXPECT_EQ(claim(store->bus()).work.size(), 1U);
}

}  // namespace
}  // namespace penstock::test
