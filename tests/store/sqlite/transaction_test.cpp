// Publishing and completing in a transaction of the caller's own connection.
#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

class SqliteBorrowed : public SqliteFile {
 protected:
  void SetUp() override {
    store_ = set_up();
    subscribe(bus(), "h");
    plain().run("create table orders(id integer primary key, total integer)");
  }

  BusStore& bus() { return store_->bus(); }
  PlainConnection& plain() {
    if (!plain_) plain_ = std::make_unique<PlainConnection>(path());
    return *plain_;
  }
  std::vector<Published> publish_borrowed(std::vector<Event> events = {{.type = "order.paid"}}) {
    const sqlite::Borrowed transaction = sqlite::borrow(plain().handle());
    return bus().publish(events, &transaction);
  }
  std::int64_t stored() { return plain().number("select count(*) from penstock_events"); }

 private:
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<PlainConnection> plain_;
};

TEST_F(SqliteBorrowed, AnEventExistsWhenTheCallersTransactionCommits) {
  plain().run("begin immediate; insert into orders values (1, 5)");
  publish_borrowed();
  EXPECT_TRUE(list(bus()).empty()) << "seen before the commit";
  plain().run("commit");

  EXPECT_EQ(claim(bus()).work.size(), 1U);
}

TEST_F(SqliteBorrowed, AnEventIsGoneWhenTheCallersTransactionRollsBack) {
  plain().run("begin immediate; insert into orders values (1, 5)");
  publish_borrowed();
  plain().run("rollback");

  EXPECT_EQ(stored(), 0);
  EXPECT_EQ(plain().number("select count(*) from orders"), 0);
}

// Known fault 11: a second publish in one transaction counts as much as the first.
TEST_F(SqliteBorrowed, EveryPublishOfOneTransactionCounts) {
  plain().run("begin immediate");
  publish_borrowed();
  publish_borrowed();
  plain().run("commit");

  EXPECT_EQ(claim(bus()).work.size(), 2U);
}

TEST_F(SqliteBorrowed, LeavesTheCallersSavepointsAndLastRowAlone) {
  plain().run("begin immediate; savepoint mine; insert into orders values (77, 5)");
  publish_borrowed();

  EXPECT_EQ(sqlite3_last_insert_rowid(plain().handle()), 77);
  plain().run("rollback to mine; commit");
  EXPECT_EQ(stored(), 0);
}

// Known fault 157: a transaction that read before another connection wrote can never write.
TEST_F(SqliteBorrowed, ADeferredTransactionWithAnOldSnapshotIsToldToBeginAgain) {
  plain().run("begin");
  static_cast<void>(plain().number("select count(*) from orders"));
  publish(bus());

  const std::optional<Error> error = error_of([&] { publish_borrowed(); });

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_EQ(error->store_code(), std::to_string(SQLITE_BUSY_SNAPSHOT));
  EXPECT_THAT(error->what(), ::testing::HasSubstr("BEGIN IMMEDIATE"));
  plain().run("rollback; begin immediate");
  publish_borrowed();
  plain().run("commit");
  EXPECT_EQ(stored(), 2);
}

TEST_F(SqliteBorrowed, WithoutATransactionIsRefused) {
  const std::optional<Error> error = error_of([&] { publish_borrowed(); });

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("BEGIN IMMEDIATE"));
  EXPECT_EQ(stored(), 0);
}

TEST_F(SqliteBorrowed, OfAnotherFileIsRefused) {
  const std::string other_path = folder().path("other.db");
  static_cast<void>(set_up({.path = other_path}));
  PlainConnection other{other_path};
  other.run("begin immediate");
  const sqlite::Borrowed transaction = sqlite::borrow(other.handle());
  const std::vector<Event> events{{.type = "order.paid"}};

  EXPECT_EQ(kind_of([&] { bus().publish(events, &transaction); }), ErrorKind::usage);
  EXPECT_EQ(other.number("select count(*) from penstock_events"), 0);
}

TEST_F(SqliteBorrowed, ANullConnectionIsRefused) {
  const sqlite::Borrowed transaction = sqlite::borrow(nullptr);
  const std::vector<Event> events{{.type = "order.paid"}};

  EXPECT_EQ(kind_of([&] { bus().publish(events, &transaction); }), ErrorKind::usage);
}

TEST_F(SqliteBorrowed, TheTransactionOfAnotherStoreIsRefused) {
  const auto other = set_up({.path = folder().path("other.db")});
  const auto transaction = other->bus().begin();
  const std::vector<Event> events{{.type = "order.paid"}};

  EXPECT_EQ(kind_of([&] { bus().publish(events, transaction.get()); }), ErrorKind::usage);
}

// An error in the middle leaves nothing of ours behind, and the caller's own writes alone.
TEST_F(SqliteBorrowed, AFailureInTheMiddleLeavesTheCallersWrites) {
  plain().run(
      "create trigger refuse before insert on penstock_events when new.type = 'bad'"
      " begin select raise(abort, 'refused'); end");
  plain().run("begin immediate; insert into orders values (1, 5)");

  EXPECT_TRUE(kind_of([&] { publish_borrowed({{.type = "good"}, {.type = "bad"}}); }));

  plain().run("commit");
  EXPECT_EQ(stored(), 0);
  EXPECT_EQ(plain().number("select count(*) from orders"), 1);
}

TEST_F(SqliteBorrowed, ACompletionCommitsWithTheHandlersWrites) {
  publish(bus());
  const std::vector<Token> tokens = tokens_of(claim(bus()));
  plain().run("begin immediate; insert into orders values (1, 5)");
  const sqlite::Borrowed transaction = sqlite::borrow(plain().handle());

  EXPECT_THAT(bus().complete(tokens, &transaction), ::testing::ElementsAre(Verdict::done));
  plain().run("rollback");
  EXPECT_EQ(list(bus(), {.status = DeliveryStatus::in_flight}).size(), 1U);

  plain().run("begin immediate; insert into orders values (1, 5)");
  EXPECT_THAT(bus().complete(tokens, &transaction), ::testing::ElementsAre(Verdict::done));
  plain().run("commit");
  EXPECT_TRUE(list(bus()).empty());
}

TEST_F(SqliteBorrowed, AnOwnedTransactionGivesItsConnection) {
  publish(bus());
  const std::vector<Token> tokens = tokens_of(claim(bus()));
  {
    const auto transaction = bus().begin();
    ASSERT_EQ(sqlite3_exec(sqlite::connection(*transaction), "insert into orders values (1, 5)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    EXPECT_THAT(bus().complete(tokens, transaction.get()), ::testing::ElementsAre(Verdict::done));
    transaction->commit();
  }

  EXPECT_EQ(plain().number("select count(*) from orders"), 1);
  EXPECT_TRUE(list(bus()).empty());
}

TEST_F(SqliteBorrowed, AnOwnedTransactionThatIsDroppedNeverWas) {
  {
    const auto transaction = bus().begin();
    sqlite3_exec(sqlite::connection(*transaction), "insert into orders values (1, 5)", nullptr,
                 nullptr, nullptr);
    const std::vector<Event> events{{.type = "order.paid"}};
    bus().publish(events, transaction.get());
  }

  EXPECT_EQ(plain().number("select count(*) from orders"), 0);
  EXPECT_EQ(stored(), 0);
}

TEST_F(SqliteBorrowed, AHandlerThatEndedTheTransactionItselfIsTold) {
  const auto transaction = bus().begin();
  sqlite3_exec(sqlite::connection(*transaction), "rollback", nullptr, nullptr, nullptr);

  EXPECT_EQ(kind_of([&] { transaction->commit(); }), ErrorKind::conflict);
}

// Known fault 3: no limit of SQLite on variables or anything else is met by the size of a batch.
TEST_F(SqliteBorrowed, ABatchOfAnySizeIsAllOrNothing) {
  subscribe(bus(), "i");
  subscribe(bus(), "j");
  sqlite3_limit(plain().handle(), SQLITE_LIMIT_VARIABLE_NUMBER, 50);
  const std::vector<Event> events(2'000, Event{.type = "order.paid"});

  plain().run("begin immediate");
  publish_borrowed(events);
  plain().run("rollback");
  EXPECT_EQ(plain().number("select count(*) from penstock_deliveries"), 0);

  plain().run("begin immediate");
  publish_borrowed(events);
  plain().run("commit");
  EXPECT_EQ(plain().number("select count(*) from penstock_deliveries"), 6'000);
}

TEST_F(SqliteBorrowed, AWriteOnTheThreadOfAnOpenTransactionIsRefused) {
  const Event event{.type = "order.paid"};
  const auto transaction = bus().begin();

  EXPECT_EQ(kind_of([&] { bus().publish({&event, 1}, nullptr); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { (void)bus().begin(); }), ErrorKind::usage);
  bus().publish({&event, 1}, transaction.get());
  transaction->commit();
  bus().publish({&event, 1}, nullptr);

  EXPECT_EQ(stored(), 2);
}

// Others look at the file again and again; they have to find it free sometimes.
TEST_F(SqliteBorrowed, ATransactionThatWasHeldLeavesTheFileToOthersForAWhile) {
  using Steady = std::chrono::steady_clock;
  auto held = bus().begin();
  const Steady::time_point began = Steady::now();
  while (Steady::now() - began < std::chrono::milliseconds{80}) std::this_thread::yield();
  held->commit();
  const Steady::time_point over = Steady::now();

  held = bus().begin();

  EXPECT_GE(Steady::now() - over, std::chrono::milliseconds{9});
}

}  // namespace
}  // namespace penstock::test
