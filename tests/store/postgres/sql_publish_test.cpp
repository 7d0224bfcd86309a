// publish() and publish_many() in SQL: what programs in other languages call in their transactions.
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <iomanip>
#include <random>
#include <sstream>

#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"
#include "work/lane_hash.hpp"

namespace penstock::postgres {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class SqlPublishTest : public ::testing::Test {
 protected:
  SqlPublishTest() {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "mail", .types = {"order.*"}});
    PQsetErrorVerbosity(session_.handle(), PQERRORS_VERBOSE);  // With the SQLSTATE.
  }

  /// `{}` in `sql` is where the functions are.
  [[nodiscard]] std::string here(std::string sql) const {
    for (std::size_t at = sql.find("{}."); at != std::string::npos; at = sql.find("{}.", at)) {
      sql.replace(at, 2, schema_.name());
    }
    return sql;
  }
  std::string ask(const std::string& sql) const { return session_.ask(here(sql)); }
  [[nodiscard]] std::string refusal(const std::string& sql) const {
    try {
      static_cast<void>(ask(sql));
      return "nothing was refused";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  [[nodiscard]] std::vector<DeliveryInfo> deliveries() {
    return store_.bus().list({.detail = Detail::with_event}).items;
  }
  [[nodiscard]] std::string events() const { return ask("select count(*) from {}.events"); }

  test::TestSchema schema_;
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
  test::Session session_{schema_.url()};
};

TEST_F(SqlPublishTest, StoresTheEventAndADeliveryForEachHandler) {
  const std::string id =
      ask("select {}.publish('order.paid', '\\x007b7d', 'order-42', '{\"trace\": \"é\"}', "
          "content_type => 'application/octet-stream')");

  const auto found = deliveries();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].handler, "mail");
  EXPECT_EQ(found[0].sequence, 1);
  const Event& event = *found[0].event;
  EXPECT_EQ(event.id->to_string(), id);
  EXPECT_EQ(event.type, "order.paid");
  EXPECT_EQ(event.key, "order-42");
  EXPECT_EQ(event.payload, std::string("\0{}", 3));
  EXPECT_EQ(event.content_type, "application/octet-stream");
  EXPECT_EQ(event.headers, (Headers{{"trace", "é"}}));
}

TEST_F(SqlPublishTest, FillsInWhatIsAbsentOrNull) {
  ask("select {}.publish('order.paid', '')");
  ask("select {}.publish('order.paid', '', null, null, null, null)");

  const auto found = deliveries();
  ASSERT_EQ(found.size(), 2U);
  for (const DeliveryInfo& delivery : found) {
    EXPECT_EQ(delivery.event->key, std::nullopt);
    EXPECT_EQ(delivery.event->payload, "");
    EXPECT_EQ(delivery.event->content_type, "application/json");
    EXPECT_EQ(delivery.event->headers, Headers{});
  }
}

TEST_F(SqlPublishTest, DrawsIdsThatAreOrderedByTime) {
  const std::string id = ask("select {}.publish('order.paid', '')");

  EXPECT_THAT(id, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-.{12}"));
  // Its first 48 bits are the milliseconds of the statement, which the event keeps too.
  EXPECT_EQ(ask("select ('x' || left(replace('" + id +
                "', '-', ''), 12))::bit(48)::bigint = "
                "floor(extract(epoch from created_at) * 1000) from {}.events"),
            "t");
  EXPECT_EQ(ask("select count(distinct {}.new_event_id()) from generate_series(1, 1000)"), "1000");
}

TEST_F(SqlPublishTest, TakesARepeatedIdForTheSameEvent) {
  const std::string publish =
      "select {}.publish('order.paid', 'x', id => '018f3c1e-7d5a-7c3e-9a51-0c7e2b8d4f60')";

  EXPECT_EQ(ask(publish), ask(publish));

  EXPECT_EQ(events(), "1");
  EXPECT_EQ(deliveries().size(), 1U);
}

TEST_F(SqlPublishTest, BelongsToTheTransactionOfItsCaller) {
  ask("begin");
  ask("select {}.publish('order.paid', '')");
  ask("rollback");
  EXPECT_EQ(events(), "0");

  ask("begin");
  ask("select {}.publish('order.paid', '')");
  ask("commit");
  EXPECT_EQ(events(), "1");
}

TEST_F(SqlPublishTest, PutsAnEventInTheLaneThatCppWouldChoose) {
  ask("select {}.publish('order.paid', '', '日本')");
  ask("select {}.publish('order.paid', '')");

  const auto found = deliveries();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].lane, LaneId{81});
  EXPECT_EQ(found[1].lane, work::lane_of(found[1].event_id.to_string()));
}

/// 1 to 40 characters of 1 to 4 bytes.
std::string random_key(std::mt19937& random) {
  const std::vector<std::string> characters{"a", "Z", "0",  "/",  " ", "'", "\\",
                                            "é", "ß", "日", "本", "€", "🦀"};
  std::string key;
  for (auto left = 1 + random() % 40; left > 0; --left) {
    key += characters[random() % characters.size()];
  }
  return key + std::to_string(random());
}

std::string hex(const std::string& bytes) {
  std::ostringstream text;
  for (const char c : bytes) {
    text << std::hex << std::setw(2) << std::setfill('0') << int{static_cast<unsigned char>(c)};
  }
  return text.str();
}

TEST_F(SqlPublishTest, HashesTenThousandKeysLikeCpp) {
  std::mt19937 random(20261130);
  std::string keys;
  std::string lanes;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = random_key(random);
    keys += (i == 0 ? "" : ",") + hex(key);
    lanes += (i == 0 ? "" : ",") + std::to_string(work::lane_of(key).value);
  }

  EXPECT_EQ(ask("select string_agg({}.lane_of(convert_from(decode(k.hex, 'hex'), 'UTF8'))::text, "
                "',' order by k.place) from unnest(string_to_array('" +
                keys + "', ',')) with ordinality k(hex, place)"),
            lanes);
}

struct Refusal {
  std::string arguments;
  std::string message;
};

TEST_F(SqlPublishTest, RefusesWhatBreaksALimitBeforeAnythingIsWritten) {
  const std::vector<Refusal> refusals{
      {"null, ''", "type must not be empty"},
      {"'', ''", "type must not be empty"},
      {"repeat('é', 101), ''", "type has 202 bytes; the limit is 200"},
      {"'order.*', ''", "which stands for any in a pattern only; found \"order.*\""},
      {"'order..paid', ''", "none of them empty"},
      {"'.order', ''", "none of them empty"},
      {"'order.', ''", "none of them empty"},
      {"'order. paid', ''", "with a blank at its beginning or end"},
      {"'order .paid', ''", "with a blank at its beginning or end"},
      {"' order', ''", "with a blank at its beginning or end"},
      {"'order ', ''", "with a blank at its beginning or end"},
      {"E'order\\npaid', ''", "without control characters"},
      {"E'order\\x7f', ''", "without control characters"},
      {"E'order\\u0085', ''", "without control characters"},
      {"'a', null", "payload must not be null"},
      {"'a', '', ''", "key must not be empty"},
      {"'a', '', repeat('日', 334)", "key has 1002 bytes; the limit is 1000"},
      {"'a', '', content_type => ''", "content_type must not be empty"},
      {"'a', '', content_type => repeat('x', 201)", "content_type has 201 bytes"},
      {"'a', '', headers => '[]'", "headers must be a flat object of strings; found array"},
      {"'a', '', headers => 'null'", "headers must be a flat object of strings; found null"},
      {"'a', '', headers => '{\"x\": \"1\", \"n\": 1}'", "found another value as \"n\""},
      {"'a', '', headers => '{\"\": \"1\"}'", "headers must not have an empty name"},
      {"'a', '', headers => jsonb_build_object('é', repeat('x', 65535))", "more than 65536 bytes"},
      {"'a', convert_to(repeat('x', 16777217), 'UTF8')", "payload has 16777217 bytes"},
  };
  for (const Refusal& refused : refusals) {
    EXPECT_THAT(refusal("select {}.publish(" + refused.arguments + ")"),
                AllOf(HasSubstr("PS001: "), HasSubstr(refused.message)))
        << refused.arguments;
  }
  EXPECT_EQ(events(), "0");
}

TEST_F(SqlPublishTest, TakesWhatJustKeepsTheLimits) {
  ask("select {}.publish(repeat('é', 100), '')");
  ask("select {}.publish('a b.c', '', repeat('é', 500))");
  ask("select {}.publish('a', '', headers => jsonb_build_object('é', repeat('x', 65534)))");
  ask("select {}.publish('a', convert_to(repeat('x', 16777216), 'UTF8'), "
      "content_type => repeat('x', 200))");

  EXPECT_EQ(events(), "4");
}

TEST_F(SqlPublishTest, ReadsTheSameUnderEverySettingOfItsCaller) {
  ask("create function {}.strpos(text, text) returns integer language sql as 'select 1/0'");
  ask("set search_path = " + schema_.name() + ", pg_catalog");
  ask("set standard_conforming_strings = off");
  ask("set escape_string_warning = off");

  ask("select {}.publish('order.paid', '', 'k')");
  ask("select * from {}.publish_many('[{\"type\": \"order.u0001\", \"payload\": [1, 2]}]')");

  EXPECT_EQ(deliveries().back().event->payload, "[1,2]");
}

TEST_F(SqlPublishTest, PublishManyTakesTheMembersOfALine) {
  EXPECT_EQ(ask(R"(select string_agg(concat_ws(' ', ordinal, id, created, handlers), ';')
                   from {}.publish_many('[
                     {"type": "order.paid", "key": "k", "payload": {"total": 12.5},
                      "id": "018F3C1E-7d5a-7c3e-9a51-0c7e2b8d4f60",
                      "headers": {"trace": "t"}, "content_type": "text/json"},
                     {"type": "other", "key": "", "id": "", "payload_base64": "AP8="},
                     {"type": "order.paid", "key": "k", "payload": null,
                      "id": "018f3c1e-7d5a-7c3e-9a51-0c7e2b8d4f60"}]'
                   ) where ordinal <> 2)"),
            "1 018f3c1e-7d5a-7c3e-9a51-0c7e2b8d4f60 t {mail};"
            "3 018f3c1e-7d5a-7c3e-9a51-0c7e2b8d4f60 f {}");

  const auto found = deliveries();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].event->payload, R"({"total":12.5})");
  EXPECT_EQ(found[0].event->content_type, "text/json");
  EXPECT_EQ(found[0].event->headers, (Headers{{"trace", "t"}}));
  EXPECT_EQ(found[0].key, "k");
  EXPECT_EQ(ask("select concat_ws(' ', payload, coalesce(key, 'no key'), content_type) "
                "from {}.events where type = 'other'"),
            "\\x00ff no key application/json");
}

TEST_F(SqlPublishTest, PublishManyStoresAJsonPayloadWithoutBlanksBetweenItsPieces) {
  ask(R"sql(select {}.publish_many('[{"type": "order.paid", "payload":
        {"a": "x, y: \"z, \\", "b": [ 1 , -2.50, {"c" : null} ], "é, ": true, "d": {}}}]'))sql");

  EXPECT_EQ(deliveries().front().event->payload,
            R"({"a":"x, y: \"z, \\","b":[1,-2.50,{"c":null}],"d":{},"é, ":true})");
}

TEST_F(SqlPublishTest, PublishManyNamesWhatItRefusesAndWritesNothing) {
  const std::string good = R"({"type": "order.paid", "payload": 1}, )";
  const std::vector<Refusal> refusals{
      {"1", "expected an object, found number"},
      {R"({"type": "a"})", "expected payload or payload_base64, found neither"},
      {R"({"type": "a", "payload": 1, "payload_base64": ""})", "found both"},
      {R"({"payload": 1})", "type must not be empty"},
      {R"({"type": 1, "payload": 1})", "type: expected a string, found number"},
      {R"({"type": "a", "payload": 1, "key": null})", "key: expected a string, found null"},
      {R"({"type": "a", "payload": 1, "headers": null})", "flat object of strings; found null"},
      {R"({"type": "a", "payload": 1, "headers": {"n": 1}})", "found another value as \"n\""},
      {R"({"type": "a", "payload": 1, "size": 1})", "found \"size\""},
      {R"({"type": "a", "payload": 1, "id": "42"})", "id: expected a UUID, found \"42\""},
      {R"({"type": "a", "payload_base64": "AP8"})", "expected base64 with padding"},
      {R"({"type": "a", "payload_base64": "A P8="})", "expected base64 with padding"},
      {R"({"type": "a", "payload_base64": "AP9="})", "expected base64 with padding"},
      {R"({"type": "a", "payload_base64": "!!!!"})", "expected base64 with padding"},
      {R"({"type": "a.*", "payload": 1})", "which stands for any in a pattern only"},
  };
  for (const Refusal& refused : refusals) {
    EXPECT_THAT(refusal("select {}.publish_many('[" + good + refused.arguments + "]')"),
                AllOf(HasSubstr("PS001: event 2: "), HasSubstr(refused.message)))
        << refused.arguments;
  }
  EXPECT_THAT(refusal("select {}.publish_many('{}')"), HasSubstr("expected an array of events"));
  EXPECT_THAT(refusal("select {}.publish_many(null)"), HasSubstr("expected an array of events"));
  EXPECT_EQ(events(), "0");
}

TEST_F(SqlPublishTest, PublishManyTakesNoEvents) {
  EXPECT_EQ(ask("select count(*) from {}.publish_many('[]')"), "0");
}

TEST_F(SqlPublishTest, PublishManyKeepsTheOrderOfThousands) {
  EXPECT_EQ(ask(R"(select string_agg(p.ordinal::text, ',') =
                     (select string_agg(n::text, ',' order by n) from generate_series(1, 2500) n)
                   from (select jsonb_agg(jsonb_build_object('type', 'order.paid', 'payload', n,
                                                             'key', 'k') order by n) as events
                         from generate_series(1, 2500) n) e,
                        {}.publish_many(e.events) p)"),
            "t");

  EXPECT_EQ(ask("select count(*) from {}.deliveries d join {}.events e on e.id = d.event_id "
                "where d.sequence::text = convert_from(e.payload, 'UTF8')"),
            "2500");
}

TEST_F(SqlPublishTest, NotifiesOnlyWhileSomebodyWaits) {
  const auto notifications = [&] {
    int count = 0;
    for (PGnotify* found = PQnotifies(session_.handle()); found != nullptr;
         found = PQnotifies(session_.handle())) {
      PQfreemem(found);
      ++count;
    }
    return count;
  };
  ask("do $$ begin execute 'listen penstock_' || '{}.meta'::regclass::oid; end $$");

  ask("select {}.publish('order.paid', '')");
  EXPECT_EQ(notifications(), 0);

  ask("insert into {}.workers values ('w', now() + interval '1 hour')");
  ask("select {}.publish('order.paid', '')");
  EXPECT_EQ(notifications(), 1);
  ask("select {}.publish_many('[{\"type\": \"order.paid\", \"payload\": 1}]')");
  EXPECT_EQ(notifications(), 1);
}

TEST_F(SqlPublishTest, BearsThePrefixOfTheStore) {
  PostgresStore other{
      {.connection = schema_.url(), .schema = schema_.name(), .prefix = "my \"own\" "}};
  other.bus().setup(SetupMode::migrate);
  other.bus().subscribe({.handler = "h", .types = {"*"}});

  ask("select {}.\"my \"\"own\"\" publish\"('a', 'x', 'k')");
  ask("select {}.\"my \"\"own\"\" publish_many\"('[{\"type\": \"a\", \"payload\": 1}]')");

  EXPECT_EQ(other.bus().list({}).items.size(), 2U);
  EXPECT_EQ(events(), "0");
}

}  // namespace
}  // namespace penstock::postgres
