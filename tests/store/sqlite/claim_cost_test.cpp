// What a claim costs is counted in steps of SQLite's machine, not in time: it must not grow with
// rows that cannot be claimed.
#include "store/sqlite/sql.hpp"
#include "store/sqlite/sqlite_file.hpp"
#include "support/scale.hpp"

namespace penstock::test {
namespace {

namespace sql = sqlite::detail::sql;

class SqliteClaimCost : public SqliteFile {
 protected:
  void SetUp() override {
    store_ = set_up();
    for (const char* handler : {"h", "paused", "others"}) subscribe(bus(), handler);
    now_ = clock().now().time_since_epoch().count();
  }

  BusStore& bus() { return store_->bus(); }
  PlainConnection& plain() {
    if (!plain_) plain_ = std::make_unique<PlainConnection>(path());
    return *plain_;
  }

  struct Rows {
    std::string handler = "h";
    std::string status = "pending";
    std::string key{};
    bool due = true;
    bool suspect = false;
  };

  /// Deliveries written straight into the table, spread over the lanes; those of a key all in one.
  void fill(std::size_t count, const Rows& rows) {
    const bool keyed = !rows.key.empty();
    const std::string key = keyed ? "'" + rows.key + "'" : "null";
    const std::string due = std::to_string(rows.due ? now_ : now_ + 3'600'000'000);
    const std::string base =
        std::to_string(plain().number("select coalesce(max(number), 0) from penstock_events"));
    const std::string number = base + " + n";
    plain().run(
        "begin immediate;"
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < " +
        std::to_string(count) +
        ")"
        " insert into penstock_events(number, id, type, key, content_type, headers, handlers, "
        "created_at, payload)"
        " select " +
        number + ", randomblob(16), 't', " + key + ", 'c', '{}', '[]', " + std::to_string(now_) +
        ", x'' from c;"
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < " +
        std::to_string(count) +
        ")"
        " insert into penstock_deliveries(event, handler, key, sequence, lane, status, head, "
        "suspect,"
        " available_at, created_at, updated_at)"
        " select " +
        number + ", '" + rows.handler + "', " + key + ", " + (keyed ? "n" : "null") + ", " +
        (keyed ? "7" : "n % 256") + ", '" + rows.status + "', " + (keyed ? "n = 1" : "1") + ", " +
        (rows.suspect ? "1, " : "0, ") + due + ", " + due + ", " + due + " from c; commit");
  }

  /// Everything that a claim has to pass by. Known fault 137.
  void fill_with_obstacles() {
    fill(scaled(10'000'000), {.due = false});
    fill(scaled(5'000'000), {.status = "dead"});
    fill(scaled(1'000'000), {.handler = "unknown"});
    fill(scaled(1'000'000), {.handler = "paused"});
    fill(scaled(1'000'000), {.handler = "others"});
    fill(scaled(1'000'000), {.key = "hot"});
    fill(scaled(100'000), {.suspect = true});
    EXPECT_EQ(bus().set_subscription_state("paused", SubscriptionState::paused), Verdict::done);
  }

  struct Cost {
    int steps = 0;
    int scans = 0;
    int rows = 0;
  };

  Cost cost_of(const sqlite::detail::SqlText& text, const std::vector<std::string>& parameters) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(plain().handle(), text.text.data(), -1, &statement, nullptr),
              SQLITE_OK);
    int index = 0;
    for (const std::string& parameter : parameters) {
      ++index;
      const bool is_number = parameter.find_first_not_of("0123456789") == std::string::npos;
      if (is_number) {
        sqlite3_bind_int64(statement, index, std::stoll(parameter));
      } else {
        sqlite3_bind_text(statement, index, parameter.c_str(), -1, SQLITE_TRANSIENT);
      }
    }
    Cost cost;
    while (sqlite3_step(statement) == SQLITE_ROW) ++cost.rows;
    cost.steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    cost.scans = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
    sqlite3_finalize(statement);
    return cost;
  }

  Cost cost_of_pick(int limit, const std::string& suspect = "0") {
    return cost_of(sql::pick, {"h", suspect, "0", "255", "worker", std::to_string(now_),
                               std::to_string(limit), R"(["h"])"});
  }

 private:
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<PlainConnection> plain_;
  std::int64_t now_ = 0;
};

TEST_F(SqliteClaimCost, DoesNotGrowWithRowsThatCannotBeClaimed) {
  fill_with_obstacles();
  fill(1'000, {});

  const Cost full = cost_of_pick(200);

  EXPECT_EQ(full.rows, 200);
  EXPECT_LT(full.steps, 200 * 100);
}

TEST_F(SqliteClaimCost, OfFindingNothingIsBoundedByTheLanes) {
  fill_with_obstacles();
  static_cast<void>(claim(bus(), "worker", 1));  // The head of the hot key.

  const Cost nothing = cost_of_pick(200);

  EXPECT_EQ(nothing.rows, 0);
  EXPECT_LT(nothing.steps, 256 * 100);
}

TEST_F(SqliteClaimCost, OfTheNextDueTimeIsBoundedByTheLanes) {
  fill_with_obstacles();

  const Cost next =
      cost_of(sql::next_due, {"h", "0", std::to_string(clock().now().time_since_epoch().count())});

  EXPECT_EQ(next.rows, 1);
  EXPECT_LT(next.steps, 256 * 100);
}

TEST_F(SqliteClaimCost, OfAHotKeysRunIsThatOfTheRun) {
  fill(scaled(1'000'000), {.key = "hot"});

  const Cost run =
      cost_of(sql::runs, {"[1]", "10", std::to_string(clock().now().time_since_epoch().count())});

  EXPECT_EQ(run.rows, 9);
  EXPECT_LT(run.steps, 10 * 100);
}

TEST_F(SqliteClaimCost, OfCompletingTheHeadOfADeepKeyIsThatOfOneRow) {
  fill(scaled(1'000'000), {.key = "hot"});

  const Cost promoted = cost_of(sql::promote, {R"([["hot","h"]])"});

  EXPECT_LT(promoted.steps, 200);
}

// The store as a whole passes the obstacles too, and takes what is due.
TEST_F(SqliteClaimCost, TheDueAmongTheObstaclesAreFound) {
  fill_with_obstacles();
  fill(50, {});

  std::size_t found = 0;
  for (int i = 0; i < 20 && found < 51; ++i) {
    const Claimed claimed = claim(bus(), "worker", 10);
    found += claimed.work.size();
    for (const Work& work : claimed.work) EXPECT_EQ(work.handler, "h");
  }

  EXPECT_EQ(found, 51U) << "fifty without a key, and the head of the hot one";
}

}  // namespace
}  // namespace penstock::test
