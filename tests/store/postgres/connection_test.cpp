// A connection to a real server: values there and back, prepared statements, pipelines, messages.
#include "store/postgres/connection.hpp"

#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <limits>

#include "store/postgres/pipeline.hpp"
#include "store/postgres/target.hpp"
#include "support/postgres_server.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr SqlText kDivide{"divide", "select 100 / $1"};

class ConnectionTest : public ::testing::TestWithParam<Preparing> {
 protected:
  template <typename... Values>
  Result ask(const SqlText& sql, const Values&... values) {
    return connection_.query(sql, values...);
  }

  Names names_{"penstock", ""};
  Target target_{test::server_url(test::shared_server())};
  Connection connection_{target_, names_, GetParam(), {}};
};

INSTANTIATE_TEST_SUITE_P(Named, ConnectionTest, ::testing::Values(Preparing::named));
INSTANTIATE_TEST_SUITE_P(Whole, ConnectionTest, ::testing::Values(Preparing::never));

TEST_P(ConnectionTest, TakesScalarsThereAndBack) {
  constexpr SqlText kEcho{"echo", "select $1, $2, $3, $4, $5, $6, $7, $8, $9"};
  const EventId id = EventId::generate();
  const Timestamp year_2100{Duration{4'102'444'800'000'001}};
  const std::string zeros("a\0b", 3);

  const Result answer = ask(kEcho, std::int64_t{-3'000'000'000}, std::int32_t{-7}, std::int16_t{-2},
                            true, "日本", Bytes{zeros}, id, year_2100, Json{R"({"a": 1})"});

  const Row row = answer.only();
  EXPECT_EQ(row.integer(0), -3'000'000'000);
  EXPECT_EQ(row.integer(1), -7);
  EXPECT_EQ(row.integer(2), -2);
  EXPECT_TRUE(row.boolean(3));
  EXPECT_EQ(row.text(4), "日本");
  EXPECT_EQ(row.bytes(5), zeros);
  EXPECT_EQ(row.uuid(6), id);
  EXPECT_EQ(row.time(7), year_2100);
  EXPECT_EQ(row.text(8), R"({"a": 1})");
}

TEST_P(ConnectionTest, MeansTheSameTimeAsTheServer) {
  constexpr SqlText kMicros{"micros",
                            "select (extract(epoch from $1) * 1000000)::bigint, "
                            "timestamptz '1969-12-31 23:59:59.999999+00'"};
  const Timestamp time{Duration{1'767'225'600'123'456}};

  const Result answer = ask(kMicros, time);

  EXPECT_EQ(answer.only().integer(0), time.time_since_epoch().count());
  EXPECT_EQ(answer.only().time(1), Timestamp{Duration{-1}});
}

TEST_P(ConnectionTest, TakesArraysThereAndBack) {
  constexpr SqlText kEcho{"echo_arrays", "select $1, $2, $3, $4"};
  const std::vector<std::int64_t> numbers{1, -1, std::numeric_limits<std::int64_t>::min()};
  const std::vector<std::string> texts{"", "a", "{\"',}\\"};
  const std::vector<bool> booleans{true, false};
  const std::vector<EventId> ids{EventId::generate(), EventId::generate()};

  const Result answer = ask(kEcho, numbers, texts, booleans, ids);

  const Row row = answer.only();
  EXPECT_EQ(row.integers(0), numbers);
  EXPECT_EQ(row.texts(1), texts);
  EXPECT_EQ(row.booleans(2), booleans);
  EXPECT_EQ(row.uuids(3), ids);
}

TEST_P(ConnectionTest, SendsNullsAndEmptyArrays) {
  constexpr SqlText kNulls{"nulls",
                           "select $1 is null, array_positions($2, null), cardinality($3), $4, "
                           "encode($5[2], 'hex')"};
  const std::vector<std::optional<std::string>> texts{"a", std::nullopt, "", std::nullopt};
  const std::vector<std::optional<Bytes>> blobs{std::nullopt, Bytes{std::string_view("\0\xFF", 2)}};

  const Result answer = ask(kNulls, std::optional<std::int64_t>{}, texts,
                            std::vector<std::int64_t>{}, std::optional<std::string>{"x"}, blobs);

  const Row row = answer.only();
  EXPECT_TRUE(row.boolean(0));
  EXPECT_THAT(row.integers(1), ElementsAre(2, 4));
  EXPECT_EQ(row.integer(2), 0);
  EXPECT_EQ(row.optional_text(3), "x");
  EXPECT_EQ(row.text(4), "00ff");
}

TEST_P(ConnectionTest, ReadsNullsAsAbsent) {
  constexpr SqlText kNull{"null", "select null::bigint, null::text, null::timestamptz"};

  const Result answer = ask(kNull);

  EXPECT_EQ(answer.only().optional_integer(0), std::nullopt);
  EXPECT_EQ(answer.only().optional_text(1), std::nullopt);
  EXPECT_EQ(answer.only().optional_time(2), std::nullopt);
  EXPECT_THROW((void)answer.only().integer(0), Error);
}

TEST_P(ConnectionTest, RefusesToReadAnotherType) {
  constexpr SqlText kText{"text", "select 'abcdefgh'::text, array['a', null]"};

  const Result answer = ask(kText);

  EXPECT_THROW((void)answer.only().integer(0), Error);
  EXPECT_THROW((void)answer.only().texts(1), Error);
  EXPECT_THROW((void)answer.only().text(2), Error);
}

TEST_P(ConnectionTest, CountsWhatAStatementWrote) {
  connection_.execute("create temporary table t(n bigint)");
  constexpr SqlText kInsert{"insert", "insert into pg_temp.t select generate_series(1, $1)"};

  EXPECT_EQ(connection_.run(kInsert, std::int64_t{17}), 17);
}

TEST_P(ConnectionTest, PreparesOnlyWhereItMay) {
  constexpr SqlText kPrepared{"prepared",
                              "select count(*) from pg_prepared_statements where name like 'pen%'"};

  (void)ask(kPrepared);
  const Result answer = ask(kPrepared);

  EXPECT_EQ(answer.only().integer(0), GetParam() == Preparing::named ? 1 : 0);
}

TEST_P(ConnectionTest, StaysUsableAfterAFailure) {
  EXPECT_THROW((void)ask(kDivide, std::int64_t{0}), Error);

  EXPECT_TRUE(connection_.is_usable());
  EXPECT_EQ(ask(kDivide, std::int64_t{5}).only().integer(0), 20);
}

TEST_P(ConnectionTest, TellsOperationStatementAndCode) {
  connection_.begin_operation("claim", Stage::undone);
  try {
    (void)ask(kDivide, std::int64_t{0});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("claim (divide) on database postgres on /tmp/"));
    EXPECT_THAT(error.what(), HasSubstr("division by zero (SQLSTATE 22012)"));
    EXPECT_EQ(error.operation(), "claim");
    EXPECT_EQ(error.store_code(), "22012");
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST_P(ConnectionTest, RunsAPipelineInOneGo) {
  connection_.execute("create temporary table t(n bigint)");
  constexpr SqlText kInsert{"insert", "insert into pg_temp.t values ($1)"};
  constexpr SqlText kCount{"count", "select count(*) from pg_temp.t"};
  Pipeline pipeline(connection_);
  for (std::int64_t i = 0; i < 3; ++i) pipeline.add(kInsert, i);
  pipeline.add(kCount);

  const std::vector<Result> results = pipeline.finish();

  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].affected(), 1);
  EXPECT_EQ(results[3].only().integer(0), 3);
  EXPECT_TRUE(connection_.is_usable());
}

TEST_P(ConnectionTest, UndoesAPipelineThatFails) {
  connection_.execute("create temporary table t(n bigint)");
  constexpr SqlText kInsert{"insert", "insert into pg_temp.t values (100 / $1)"};
  constexpr SqlText kCount{"count", "select count(*) from pg_temp.t"};
  Pipeline pipeline(connection_);
  pipeline.add(kInsert, std::int64_t{1});
  pipeline.add(kInsert, std::int64_t{0});
  pipeline.add(kInsert, std::int64_t{2});

  EXPECT_THROW((void)pipeline.finish(), Error);

  EXPECT_TRUE(connection_.is_usable());
  EXPECT_EQ(ask(kCount).only().integer(0), 0);
}

// Both sockets fill up; neither side may wait for the other.
TEST_P(ConnectionTest, CarriesMoreThanTheSocketsHold) {
  constexpr SqlText kEcho{"echo_text", "select $1"};
  const std::string big(300'000, 'x');
  Pipeline pipeline(connection_);
  for (int i = 0; i < 40; ++i) pipeline.add(kEcho, big);

  const std::vector<Result> results = pipeline.finish();

  ASSERT_EQ(results.size(), 40U);
  for (const Result& result : results) EXPECT_EQ(result.only().text(0).size(), big.size());
}

TEST_P(ConnectionTest, NoticesThatTheServerHungUp) {
  EXPECT_FALSE(connection_.was_closed());
  const test::Session admin(test::server_url(test::shared_server()));
  const int process = PQbackendPID(connection_.handle());

  // Waits for the end of the session.
  admin.ask("select pg_terminate_backend(" + std::to_string(process) + ", 10000)");

  EXPECT_TRUE(connection_.was_closed());
}

TEST_P(ConnectionTest, PassesNoticesToTheLogAndNotToStderr) {
  std::vector<std::string> heard;
  Connection connection(target_, names_, GetParam(),
                        [&](LogLevel level, std::string_view, std::span<const LogField> fields) {
                          EXPECT_EQ(level, LogLevel::debug);
                          for (const LogField& field : fields) heard.push_back(field.value);
                        });
  ::testing::internal::CaptureStderr();

  connection.execute("do $$ begin raise notice 'hello'; end $$");

  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
  EXPECT_THAT(heard, ElementsAre("NOTICE", "hello"));
}

TEST(Connecting, TellsWhereToAndNeverThePassword) {
  const Names names{"penstock", ""};
  const Target target{"postgresql://someone:s3cret@/orders?host=/tmp/penstock-nowhere"};
  try {
    const Connection connection(target, names, Preparing::named, {});
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), HasSubstr("database orders on /tmp/penstock-nowhere"));
    EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
    EXPECT_EQ(std::string_view(error.what()).find_first_of("\n\t"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace penstock::postgres::detail
