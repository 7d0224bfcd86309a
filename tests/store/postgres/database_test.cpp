// Calls on a database: retries, lost connections, transactions, a pooler in between.
#include "store/postgres/database.hpp"

#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "store/postgres/pipeline.hpp"
#include "support/postgres_server.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::HasSubstr;

constexpr SqlText kProcess{"process", "select pg_backend_pid()"};
constexpr SqlText kInsert{"insert", R"(insert into :"schema".t(n) values ($1))"};
constexpr SqlText kCount{"count", R"(select count(*) from :"schema".t)"};
constexpr SqlText kEndSelf{"end_self", "select pg_terminate_backend(pg_backend_pid())"};

std::int64_t process_of(Connection& connection) {
  return connection.query(kProcess).only().integer(0);
}

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_.create();
    schema_.ask("create table " + schema_.name() + ".t(n bigint primary key deferrable)");
  }
  [[nodiscard]] PostgresStoreOptions options() {
    return {.connection = schema_.url(),
            .schema = schema_.name(),
            .pool_size = 2,
            .log = [this](LogLevel, std::string_view event, std::span<const LogField>) {
              if (event.starts_with("a pooler")) ++pooler_lines_;
            }};
  }
  void end_session(std::int64_t process) const {
    schema_.ask("select pg_terminate_backend(" + std::to_string(process) + ", 10000)");
  }
  std::int64_t rows() {
    return std::stoll(schema_.ask("select count(*) from " + schema_.name() + ".t"));
  }
  template <typename Call>
  [[nodiscard]] static std::optional<ErrorKind> kind_thrown_by(Call call) {
    try {
      call();
      return std::nullopt;
    } catch (const Error& error) {
      return error.kind();
    }
  }

  test::TestSchema schema_;
  int pooler_lines_ = 0;
  Database database_{options()};
};

TEST_F(DatabaseTest, ConnectsAgainAfterTheSessionEnded) {
  const std::int64_t first = database_.read("test", process_of);
  end_session(first);

  const std::int64_t second = database_.read("test", process_of);

  EXPECT_NE(first, second);
}

TEST_F(DatabaseTest, PreparesAgainAfterAReconnect) {
  const auto insert = [&](std::int64_t n) {
    database_.write("test", [&](Connection& connection) { connection.run(kInsert, n); });
  };
  insert(1);
  end_session(database_.read("test", process_of));

  insert(2);

  EXPECT_EQ(rows(), 2);
}

// Known fault: a prepared statement that somebody removed.
TEST_F(DatabaseTest, RecoversWhereThePreparedStatementsAreGone) {
  (void)database_.read("test", process_of);
  database_.read("test", [](Connection& connection) { connection.execute("deallocate all"); });

  EXPECT_NO_THROW((void)database_.read("test", process_of));
}

TEST_F(DatabaseTest, SaysInDoubtWhereAWriteLosesItsAnswer) {
  // The socket breaks under a statement that commits by itself: nobody can know.
  const auto call = [&](Connection& connection) {
    ::shutdown(PQsocket(connection.handle()), SHUT_RDWR);
    connection.run(kInsert, std::int64_t{1});
  };

  EXPECT_EQ(kind_thrown_by([&] { database_.write("publish", call); }), ErrorKind::in_doubt);
}

TEST_F(DatabaseTest, SaysInDoubtWhereACommitLosesItsAnswer) {
  const auto call = [&](Connection& connection) {
    connection.run(kInsert, std::int64_t{1});
    ::shutdown(PQsocket(connection.handle()), SHUT_RDWR);
  };

  EXPECT_EQ(kind_thrown_by([&] { database_.transact("publish", Effect::once, call); }),
            ErrorKind::in_doubt);
}

TEST_F(DatabaseTest, SaysUnavailableWhereNothingWasCommitted) {
  int runs = 0;
  const auto call = [&](Connection& connection) {
    ++runs;
    ::shutdown(PQsocket(connection.handle()), SHUT_RDWR);
    connection.run(kInsert, std::int64_t{1});
  };

  EXPECT_EQ(kind_thrown_by([&] { database_.transact("publish", Effect::once, call); }),
            ErrorKind::unavailable);
  EXPECT_EQ(kind_thrown_by([&] { database_.call("claim", Effect::repeatable, call); }),
            ErrorKind::unavailable);
  EXPECT_EQ(rows(), 0);
  EXPECT_GE(runs, 2);
}

TEST_F(DatabaseTest, KnowsThatTheServerEndedAStatementItself) {
  const auto call = [&](Connection& connection) { connection.run(kEndSelf); };

  EXPECT_EQ(kind_thrown_by([&] { database_.write("publish", call); }), ErrorKind::unavailable);
}

TEST_F(DatabaseTest, RunsADeadlockAgain) {
  schema_.ask("insert into " + schema_.name() + ".t values (1), (2)");
  constexpr SqlText kLock{"lock", R"(select n from :"schema".t where n = $1 for update)"};
  std::atomic<int> runs = 0;
  std::atomic<int> at_first = 0;
  const auto lock_both = [&](std::int64_t one, std::int64_t two) {
    database_.transact("test", Effect::once, [&](Connection& connection) {
      ++runs;
      (void)connection.query(kLock, one);
      // Both hold their first lock, in the first run.
      if (++at_first <= 2) {
        while (at_first < 2) std::this_thread::yield();
      }
      (void)connection.query(kLock, two);
    });
  };
  {
    const std::jthread other([&] { lock_both(2, 1); });
    lock_both(1, 2);
  }

  // More than once where the one that lost locked its first row again before the other had both.
  EXPECT_GE(runs, 3);
}

TEST_F(DatabaseTest, GivesUpOnAConflictThatStays) {
  int runs = 0;
  const auto kind = kind_thrown_by([&] {
    database_.write("test", [&](Connection& connection) {
      ++runs;
      connection.execute("do $$ begin raise exception 'x' using errcode = '40001'; end $$");
    });
  });

  EXPECT_EQ(kind, ErrorKind::conflict);
  EXPECT_GT(runs, 3);
}

TEST_F(DatabaseTest, RollsBackWhatThrows) {
  EXPECT_THROW(database_.transact("test", Effect::once,
                                  [&](Connection& connection) {
                                    connection.run(kInsert, std::int64_t{1});
                                    throw std::runtime_error("no");
                                  }),
               std::runtime_error);

  EXPECT_EQ(rows(), 0);
}

// Known fault 99: the old primary is read only, and its connections stay open.
TEST_F(DatabaseTest, LeavesAServerThatBecameReadOnly) {
  const std::int64_t before = database_.read("test", process_of);
  const auto insert = [&](Connection& connection) { connection.run(kInsert, std::int64_t{1}); };
  database_.read("test", [](Connection& connection) {
    connection.execute("set default_transaction_read_only = on");
  });

  // The first try meets the old session; the second is on a fresh one.
  EXPECT_NO_THROW(database_.write("test", insert));

  EXPECT_NE(database_.read("test", process_of), before);
}

TEST_F(DatabaseTest, CommitsAndRollsBackHeldTransactions) {
  const auto insert = [](Connection& connection) { connection.run(kInsert, std::int64_t{1}); };
  {
    const auto transaction = database_.begin();
    database_.write_in(*transaction, "test", insert);
  }
  EXPECT_EQ(rows(), 0);

  const auto transaction = database_.begin();
  database_.write_in(*transaction, "test", insert);
  transaction->commit();

  EXPECT_EQ(rows(), 1);
  EXPECT_EQ(kind_thrown_by([&] { transaction->commit(); }), ErrorKind::usage);
}

TEST_F(DatabaseTest, SaysConflictWhereTheServerRollsBackAtTheCommit) {
  const auto transaction = database_.begin();
  EXPECT_THROW(database_.write_in(*transaction, "test",
                                  [](Connection& connection) {
                                    (void)connection.query(SqlText{"bad", "select 1 / 0"});
                                  }),
               Error);

  EXPECT_EQ(kind_thrown_by([&] { database_.write_in(*transaction, "test", process_of); }),
            ErrorKind::conflict);
  EXPECT_EQ(kind_thrown_by([&] { transaction->commit(); }), ErrorKind::conflict);
}

TEST_F(DatabaseTest, LeavesRoomForCallsWhileTransactionsAreHeld) {
  const auto one = database_.begin();
  const auto two = database_.begin();

  EXPECT_NO_THROW((void)database_.read("test", process_of));
}

TEST_F(DatabaseTest, WritesInABorrowedTransaction) {
  const test::Session user(schema_.url());
  const auto insert = [](Connection& connection) { connection.run(kInsert, std::int64_t{1}); };
  user.ask("begin");

  database_.write_in(borrow(user.handle()), "test", insert);

  EXPECT_EQ(rows(), 0);
  user.ask("commit");
  EXPECT_EQ(rows(), 1);
  EXPECT_EQ(user.ask("select count(*) from pg_prepared_statements"), "0");
}

TEST_F(DatabaseTest, RefusesABorrowedConnectionThatCannotServe) {
  const test::Session user(schema_.url());
  const auto join = [&] {
    return kind_thrown_by([&] { database_.write_in(borrow(user.handle()), "test", process_of); });
  };

  EXPECT_EQ(join(), ErrorKind::usage) << "no transaction";
  user.ask("begin");
  user.ask("set client_encoding = 'LATIN1'");
  EXPECT_EQ(join(), ErrorKind::usage) << "another encoding";
  user.ask("set client_encoding = 'UTF8'");
  EXPECT_EQ(join(), std::nullopt);
  EXPECT_THROW(user.ask("select 1 / 0"), std::runtime_error);
  EXPECT_EQ(join(), ErrorKind::conflict) << "an aborted transaction";
  EXPECT_EQ(kind_thrown_by([&] { database_.write_in(borrow(nullptr), "test", process_of); }),
            ErrorKind::usage);
}

TEST_F(DatabaseTest, DoesNotSpoilABorrowedTransactionWhereTablesAreMissing) {
  PostgresStoreOptions elsewhere = options();
  elsewhere.schema = schema_.name() + "_none";
  Database other(elsewhere);
  const test::Session user(schema_.url());
  user.ask("begin");

  EXPECT_EQ(kind_thrown_by([&] { other.write_in(borrow(user.handle()), "test", process_of); }),
            ErrorKind::schema);

  EXPECT_EQ(user.ask("select 1"), "1");
}

// Known fault 103.
TEST_F(DatabaseTest, RefusesToWorkInAChildAndLeavesTheParentAlone) {
  const std::int64_t before = database_.read("test", process_of);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto kind = kind_thrown_by([&] { (void)database_.read("test", process_of); });
    database_.~Database();
    ::_exit(kind == ErrorKind::usage ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);

  EXPECT_EQ(status, 0);
  EXPECT_EQ(database_.read("test", process_of), before);
}

TEST_F(DatabaseTest, FindsNoPoolerWhereThereIsNone) {
  EXPECT_FALSE(database_.is_pooled());
  EXPECT_EQ(pooler_lines_, 0);
}

class PooledDatabaseTest : public DatabaseTest {
 protected:
  [[nodiscard]] PostgresStoreOptions pooled_options() {
    PostgresStoreOptions through = options();
    through.connection = bouncer_.url();
    through.pool_size = 8;
    return through;
  }

  test::PgBouncer bouncer_{test::shared_server()};
  Database pooled_{pooled_options()};
};

TEST_F(PooledDatabaseTest, FindsThePoolerAndSaysItOnce) {
  EXPECT_TRUE(pooled_.is_pooled());
  const auto one = pooled_.begin();
  (void)pooled_.read("test", process_of);

  EXPECT_EQ(pooler_lines_, 1);
}

TEST_F(PooledDatabaseTest, KeepsNothingInSessions) {
  const auto work = [&](std::int64_t first) {
    for (std::int64_t n = first; n < first + 50; ++n) {
      pooled_.write("test", [&](Connection& connection) { connection.run(kInsert, n); });
      pooled_.transact("test", Effect::once, [&](Connection& connection) {
        connection.run(kInsert, 1'000'000 + n);
        (void)connection.query(kCount);
      });
      pooled_.write("test", [&](Connection& connection) {
        Pipeline pipeline(connection);
        pipeline.add(kInsert, 2'000'000 + n);
        pipeline.add(kInsert, 3'000'000 + n);
        (void)pipeline.finish();
      });
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) threads.emplace_back(work, i * 1'000);
  }

  EXPECT_EQ(rows(), 6 * 50 * 4);
  EXPECT_EQ(
      pooled_.read("test",
                   [](Connection& connection) {
                     return connection
                         .query(SqlText{"prepared", "select count(*) from pg_prepared_statements"})
                         .only()
                         .integer(0);
                   }),
      0);
}

TEST_F(PooledDatabaseTest, UndoesAPipelineThatFails) {
  EXPECT_THROW(pooled_.write("test",
                             [&](Connection& connection) {
                               Pipeline pipeline(connection);
                               pipeline.add(kInsert, std::int64_t{1});
                               pipeline.add(kInsert, std::int64_t{1});
                               pipeline.add(kInsert, std::int64_t{2});
                               (void)pipeline.finish();
                             }),
               Error);

  EXPECT_EQ(rows(), 0);
}

TEST_F(PooledDatabaseTest, SetsUpThroughThePooler) {
  schema_.ask("drop schema " + schema_.name() + " cascade");

  pooled_.create();
  pooled_.check();

  EXPECT_EQ(schema_.ask("select count(*) from " + schema_.name() + ".lanes"), "256");
}

TEST_F(PooledDatabaseTest, BelievesWhatItIsTold) {
  PostgresStoreOptions told = options();
  told.pooler = true;
  Database forced(told);

  EXPECT_TRUE(forced.is_pooled());
  EXPECT_EQ(forced.read("test", [](Connection& connection) { return connection.preparing(); }),
            Preparing::never);
}

}  // namespace
}  // namespace penstock::postgres::detail
