// What calls cost is counted in buffers, not in time: it must not grow with rows that are not
// claimed. The plans are those of a session that has seen the tables empty, never analysed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"
#include "support/scale.hpp"

namespace penstock::test {
namespace {

class PostgresCost : public testing::Test {
 protected:
  void SetUp() override {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "h", .types = {"*"}});
    for (const char* table : {"deliveries", "events", "lanes"}) {
      user_.ask("alter table " + name(table) + " set (autovacuum_enabled = off)");
    }
    // A session's first calls look the functions up and plan; that is not what is counted here.
    fill(20, {});
    for (int i = 0; i < 2; ++i) {
      static_cast<void>(cost_of(claim("warm", 5, 0)));
      static_cast<void>(cost_of(complete(take("warm", "1"))));
      static_cast<void>(cost_of(call("reschedule", take("warm", "1"), ", '{0}', '{t}', '{x}'")));
      static_cast<void>(cost_of(call("bury", take("warm", "1"), ", '{x}'")));
      static_cast<void>(cost_of(call("release", take("warm", "1"))));
      static_cast<void>(cost_of(call("extend", take("warm", "1"), ", 1000")));
    }
    // Not truncate, which would have the session plan again.
    user_.ask("delete from " + name("deliveries"));
    user_.ask("delete from " + name("events"));
    user_.ask("update " + name("lanes") + " set in_flight = '{}', lease_owner = null, " +
              "lease_expires_at = null, mark_at = null, mark_id = null, rescan_at = null");
  }

  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\".\"" + object + '"';
  }

  struct Rows {
    std::string handler = "h";
    std::string status = "pending";
    std::string key{};  ///< Empty: none.
    std::string lane = "n % 256";
    std::string available_at = "now() - interval '1 hour'";
  };

  /// Deliveries, older than what a publisher's late commit could precede, written straight into the
  /// tables.
  void fill(std::size_t count, const Rows& rows) {
    user_.ask("with e as (insert into " + name("events") +
              "(id, created_at, type, content_type, payload) select gen_random_uuid(), now(), 't', "
              "'c', '\\x00' from generate_series(1, " +
              std::to_string(count) +
              ") returning id), numbered as (select id, row_number() over () as n from e) "
              "insert into " +
              name("deliveries") +
              "(event_id, handler, status, key, sequence, lane, available_at, created_at, "
              "updated_at) select id, '" +
              rows.handler + "', '" + rows.status + "', " +
              (rows.key.empty() ? "null, null" : "'" + rows.key + "', n") + ", " + rows.lane +
              ", " + rows.available_at + ", now(), now() from numbered order by n");
  }

  [[nodiscard]] std::string claim(const std::string& worker, int batch, int first_lane) const {
    return "select id from " + name("claim") + "('" + worker + "', '{h}', '{1000}', " +
           std::to_string(batch) + ", 1, 3600000000, false, " + std::to_string(first_lane) +
           ", null, null, true, '{}', '{}', '', '{}') where id is not null";
  }
  /// The tokens of everything a worker has in flight, as arguments.
  [[nodiscard]] std::string take(const std::string& worker,
                                 const std::string& limit = "all") const {
    return user_.ask(
        "select format('%L, %L, %L, %L', array_agg(t.id), array_agg(t.lane), array_agg(t.epoch), "
        "array_agg(t.claims)) from (select d.id, d.lane, l.epoch, d.claims from " +
        name("lanes") + " l cross join unnest(l.in_flight) f(id) join " + name("deliveries") +
        " d on d.id = f.id where l.lease_owner = '" + worker + "' order by d.id limit " + limit +
        ") t");
  }
  [[nodiscard]] std::string call(const std::string& function, const std::string& tokens,
                                 const std::string& more = {}) const {
    return "select * from " + name(function) + "(" + tokens + more + ")";
  }
  [[nodiscard]] std::string complete(const std::string& tokens) const {
    return call("complete", tokens, ", false");
  }

  struct Cost {
    int buffers = 0;
    int rows = 0;
  };
  /// Runs `query` and says which buffers it touched.
  [[nodiscard]] Cost cost_of(const std::string& query) const {
    const std::string plan = user_.ask("explain (analyze, buffers, format json) " + query);
    const auto number = [&](const std::string& label) {
      const std::size_t at = plan.find('"' + label + "\": ");
      return at == std::string::npos ? 0 : std::stoi(plan.substr(at + label.size() + 4));
    };
    return {.buffers = number("Shared Hit Blocks") + number("Shared Read Blocks"),
            .rows = number("Actual Rows")};
  }

  const TestSchema schema_;
  const Session user_{schema_.url()};
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
};

TEST_F(PostgresCost, OfAClaimDoesNotGrowWithWhatIsPending) {
  fill(1'000, {});
  const Cost few = cost_of(claim("a", 50, 0));
  fill(scaled(1'000'000), {});

  const Cost many = cost_of(claim("b", 50, 100));

  EXPECT_EQ(few.rows, 50);
  EXPECT_EQ(many.rows, 50);
  EXPECT_LE(many.buffers, few.buffers * 3 / 2);
  EXPECT_LE(many.buffers, 1'000);
}

TEST_F(PostgresCost, OfAClaimDoesNotGrowWithTheDead) {
  fill(1'000, {});
  const Cost without = cost_of(claim("a", 50, 0));
  fill(scaled(1'000'000), {.status = "dead"});

  const Cost with = cost_of(claim("b", 50, 100));

  EXPECT_EQ(with.rows, 50);
  EXPECT_LE(with.buffers, without.buffers * 3 / 2);
}

TEST_F(PostgresCost, OfAClaimDoesNotGrowWithABacklogBehindOneKey) {
  fill(std::max<std::size_t>(5'000, scaled(100'000)), {.key = "hot", .lane = "7"});
  EXPECT_EQ(cost_of(claim("a", 1, 7)).rows, 1) << "the slow one is in flight";
  fill(100, {.lane = "7", .available_at = "now() - interval '1 minute'"});
  fill(1'000, {.lane = "8 + n % 100"});

  const Cost cost = cost_of(claim("a", 50, 7));

  EXPECT_EQ(cost.rows, 50);
  EXPECT_LE(cost.buffers, 3'500) << "a bounded number of blocked rows is read";
}

TEST_F(PostgresCost, OfFiftyCompletionsIsSmallAlsoWithADecoyIndex) {
  fill(std::max<std::size_t>(40'000, scaled(1'000'000)), {});
  EXPECT_EQ(cost_of(claim("a", 50, 0)).rows, 50);

  const Cost plain = cost_of(complete(take("a")));
  EXPECT_EQ(plain.rows, 50);
  EXPECT_LE(plain.buffers, 400);

  user_.ask("create index on " + name("deliveries") + "(status, id)");
  user_.ask("create index on " + name("deliveries") + "(status)");
  user_.ask("analyze " + name("deliveries"));
  for (int i = 0; i < 2; ++i) {  // The first call plans again.
    EXPECT_EQ(cost_of(claim("b", 50, 100)).rows, 50);
    const Cost decoyed = cost_of(complete(take("b")));
    EXPECT_EQ(decoyed.rows, 50);
    if (i > 0) {
      EXPECT_LE(decoyed.buffers, 400);
    }
  }
}

TEST_F(PostgresCost, OfASingleFencedWriteIsSmall) {
  fill(std::max<std::size_t>(40'000, scaled(1'000'000)), {});
  EXPECT_EQ(cost_of(claim("a", 50, 0)).rows, 50);

  for (const auto& [function, more] :
       {std::pair("reschedule", ", '{0}', '{t}', '{x}'"), std::pair("bury", ", '{x}'"),
        std::pair("release", ""), std::pair("extend", ", 3600000000")}) {
    const Cost cost = cost_of(call(function, take("a", "1"), more));
    EXPECT_EQ(cost.rows, 1) << function;
    EXPECT_LE(cost.buffers, 60) << function;
  }
}

TEST_F(PostgresCost, OfAClaimUnderAHeldSnapshotStaysAfterManyCompletions) {
  fill(scaled(300'000), {});
  const Session reader{schema_.url()};
  reader.ask("begin isolation level repeatable read");
  reader.ask("select count(*) from " + name("meta"));
  const Cost first = cost_of(claim("a", 200, 0));
  ASSERT_EQ(cost_of(complete(take("a"))).rows, 200);

  int lane = 0;
  for (std::size_t done = 200; done < scaled(150'000); done += 200) {
    lane = (lane + 4) % 256;
    ASSERT_EQ(cost_of(claim("a", 200, lane)).rows, 200);
    ASSERT_EQ(cost_of(complete(take("a"))).rows, 200);
  }
  const Cost last = cost_of(claim("a", 200, lane));

  EXPECT_EQ(last.rows, 200);
  EXPECT_LE(last.buffers, 2 * first.buffers);
}

TEST_F(PostgresCost, OfAClaimThatFindsNothingIsNoWrite) {
  fill(50, {.handler = "other"});
  fill(50, {.available_at = "now() + interval '1 day'"});
  static_cast<void>(cost_of(claim("a", 50, 0)));
  user_.ask("begin");

  EXPECT_EQ(cost_of(claim("a", 50, 0)).rows, 0);

  EXPECT_EQ(user_.ask("select pg_current_xact_id_if_assigned() is null"), "t");
  user_.ask("rollback");
}

TEST_F(PostgresCost, RewritesLaneRowsInPlace) {
  fill(20'000, {});
  const std::string counters =
      "select n_tup_hot_upd * 100 / n_tup_upd from pg_stat_user_tables "
      "where schemaname = '" +
      schema_.name() + "' and relname = 'lanes'";
  user_.ask("select pg_stat_force_next_flush()");
  user_.ask("select pg_stat_reset_single_table_counters('" + name("lanes") + "'::regclass)");
  for (int i = 0; i < 80; ++i) {
    ASSERT_EQ(cost_of(claim("a", 50, i / 8)).rows, 50);
    ASSERT_EQ(cost_of(complete(take("a"))).rows, 50);
  }

  user_.ask("select pg_stat_force_next_flush()");
  EXPECT_GE(std::stoi(user_.ask(counters)), 97);
}

}  // namespace
}  // namespace penstock::test
