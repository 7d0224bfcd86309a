// What the upgrade makes of the rows of version 0.1.0.
#include <sstream>
#include <vector>

#include "penstock/limits.hpp"
#include "store/postgres/old_database.hpp"
#include "support/scale.hpp"
#include "work/lane_hash.hpp"

namespace penstock::postgres::detail {
namespace {

/// Every delivery in the order of its id, with the times as seconds of the year 2024.
constexpr const char* kDeliveries =
    "select string_agg(concat_ws('|', right(event_id::text, 4), handler, key, sequence, status,"
    " attempts, extract(epoch from available_at)::bigint - 1704067200,"
    " extract(epoch from created_at)::bigint - 1704067200,"
    " extract(epoch from updated_at)::bigint - 1704067200, last_error), E'\\n' order by id)"
    " from relaybus_deliveries";

std::string foreign(const std::string& id) {
  return EventId::from_foreign("ndjson", id).to_string();
}

TEST_F(UpgradeTest, ConvertsDeliveriesInEveryState) {
  old_.fill();

  old_.upgrade();

  const std::string seven = foreign("msg-7").substr(32);
  const std::string eight = foreign("msg-8").substr(32);
  // Completed: updated when it was completed. Running: pending, the attempt counted, due since its
  // lease ended. The second of order-1 before the third, though created later.
  EXPECT_EQ(old_.ask(kDeliveries),
            "0001|receipt|order-1|1|completed|1|1|1|60|\n"
            "0002|receipt|order-1|2|pending|3|120|3|62|timed out\n"
            "0003|receipt|order-1|3|pending|0|2|2|2|\n"
            "0004|receipt|order-2|7|dead|25|4|4|64|no such order\n"
            "0005|index|pending|2|300|5|65|busy\n"
            "0006|index|pending|1|180|6|66|\n" +
                seven + "|archive|pending|0|7|7|7|\n" + seven + "|index|completed|1|7|7|67|\n" +
                eight + "|index|dead|25|8|8|68|broken");
  EXPECT_EQ(old_.ask("select bool_and(claims = 0 and not suspect) from relaybus_deliveries"), "t");
}

TEST_F(UpgradeTest, RemembersEachHandlerOfAnEventThatOfACompletedDeliveryToo) {
  old_.fill();

  old_.upgrade();

  EXPECT_EQ(old_.ask("select string_agg(concat_ws(' ', right(id::text, 4), type, key, handlers,"
                     " created_at at time zone 'UTC'), E'\\n' order by created_at)"
                     " from relaybus_events where created_at < '2024-01-01 00:00:03Z'"
                     " or handlers <> '{receipt}' and handlers <> '{index}'"),
            "0001 order.paid order-1 {receipt} 2024-01-01 00:00:01\n"
            "0002 order.paid order-1 {receipt} 2024-01-01 00:00:02\n" +
                foreign("msg-7").substr(32) +
                " scan.done {archive,index} 2024-01-01 00:00:07\n"
                "0009 scan.done {} 2024-01-01 00:00:09");
}

TEST_F(UpgradeTest, StoresPayloadsAsTheirCompactBytes) {
  const std::vector<std::string> payloads{
      R"({"a": 1, "b": [1, 2, {"c": null}], "d": {"e": true}})",
      R"({"text": "a, b: c", "\"key\": 1, 2": "back\\slash, \\\": \\"})",
      R"(["\\", "x: y, z", "\\\\\"", ", "])",
      R"(", : ")",
      R"("")",
      R"([])",
      R"({})",
      R"(1.50)",
      R"({"日本": "Zürich: 1, 2", "control": "\u0001\n, \u001f: "})",
  };
  const std::vector<std::string> compact{
      R"({"a":1,"b":[1,2,{"c":null}],"d":{"e":true}})",
      R"({"text":"a, b: c","\"key\": 1, 2":"back\\slash, \\\": \\"})",
      R"(["\\","x: y, z","\\\\\"",", "])",
      R"(", : ")",
      R"("")",
      R"([])",
      R"({})",
      R"(1.50)",
      R"({"日本":"Zürich: 1, 2","control":"\u0001\n, \u001f: "})",
  };
  for (const std::string& payload : payloads) {
    old_.ask(
        "insert into relaybus_events (id, type, payload, created_at) select 'p' || count(*),"
        " 't', $json$" +
        payload + "$json$, '2024-01-01Z'::timestamptz + count(*) * interval '1 s'" +
        " from relaybus_events");
  }

  old_.upgrade();

  for (std::size_t i = 0; i < compact.size(); ++i) {
    EXPECT_EQ(old_.ask("select convert_from(payload, 'UTF8') from relaybus_events"
                       " order by created_at limit 1 offset " +
                       std::to_string(i)),
              compact[i]);
  }
  EXPECT_EQ(old_.ask("select string_agg(distinct content_type, ',') from relaybus_events"),
            "application/json");
}

TEST_F(UpgradeTest, GivesAForeignIdTheUuidThatPublishingItGives) {
  // Lengths around the blocks of SHA-1, and characters of several bytes.
  std::vector<std::string> ids{"a", "msg-7", "00000000-0000-4000-8000-00000000000",
                               "{00000000-0000-4000-8000-000000000001}",
                               "00000000000040008000000000000002"};
  for (std::size_t length = 20; length < 180; ++length) ids.push_back(std::string(length, 'x'));
  for (std::size_t length = 10; length < 40; ++length) {
    std::string id;
    for (std::size_t i = 0; i < length; ++i) id += i % 2 == 0 ? "ü" : "日";
    ids.push_back(id);
  }
  for (const std::string& id : ids) {
    old_.ask("insert into relaybus_events (id, type, payload) values ('" + id + "', 't', '1')");
  }

  old_.upgrade();

  for (const std::string& id : ids) {
    EXPECT_EQ(old_.ask("select headers->>'penstock-original-id' from relaybus_events where id = '" +
                       foreign(id) + "'"),
              id);
  }
}

TEST_F(UpgradeTest, KeepsUuidsAndTellsApartThoseThatDifferInCaseOnly) {
  for (const char* id :
       {"abcdef00-0000-4000-8000-000000000001", "ABCDEF00-0000-4000-8000-000000000001",
        "ABCDEF00-0000-4000-8000-000000000002", "ABCDEF00-0000-4000-8000-000000000003",
        "ABcdef00-0000-4000-8000-000000000003"}) {
    old_.ask(std::string("insert into relaybus_events (id, type, payload) values ('") + id +
             "', 't', to_jsonb('" + id + "'::text))");
  }

  old_.upgrade();

  const auto payload_of = [&](const std::string& id) {
    return old_.ask(
        "select convert_from(payload, 'UTF8') || coalesce(headers->>"
        "'penstock-original-id', '') from relaybus_events where id = '" +
        id + "'");
  };
  EXPECT_EQ(payload_of("abcdef00-0000-4000-8000-000000000001"),
            "\"abcdef00-0000-4000-8000-000000000001\"");
  EXPECT_EQ(payload_of(foreign("ABCDEF00-0000-4000-8000-000000000001")),
            "\"ABCDEF00-0000-4000-8000-000000000001\"ABCDEF00-0000-4000-8000-000000000001");
  EXPECT_EQ(payload_of("abcdef00-0000-4000-8000-000000000002"),
            "\"ABCDEF00-0000-4000-8000-000000000002\"");
  EXPECT_EQ(old_.ask("select count(distinct id) from relaybus_events where id ="
                     " 'abcdef00-0000-4000-8000-000000000003' or headers <> '{}'"),
            "3");
}

TEST_F(UpgradeTest, MakesTextsOfHeaders) {
  const auto after = [&](const std::string& headers) {
    old_.make_tables();
    old_.ask(
        "insert into relaybus_events (id, type, payload, headers) values"
        " ('00000000-0000-4000-8000-000000000001', 't', '1', '" +
        headers + "')");
    old_.upgrade();
    return old_.ask("select headers from relaybus_events");
  };

  EXPECT_EQ(after(R"({"a": "x", "b": ""})"), R"({"a": "x", "b": ""})");
  EXPECT_EQ(after(R"({"a": 1.50, "b": true, "c": null, "d": {"e": [1, 2]}})"),
            R"({"a": "1.50", "b": "true", "c": "null", "d": "{\"e\":[1,2]}"})");
  EXPECT_EQ(after(R"({"a": ["x"]})"), R"({"a": "[\"x\"]"})");
  EXPECT_EQ(after(R"([1, 2])"), R"({"penstock-original-headers": "[1,2]"})");
  EXPECT_EQ(after(R"("x")"), R"({"penstock-original-headers": "\"x\""})");
  EXPECT_EQ(after("null"), "{}");
}

TEST_F(UpgradeTest, KeepsWhatBreaksALimitOfToday) {
  const std::string key(limits::kKeyBytes + 500, 'k');
  const std::string type(limits::kTypeBytes + 100, 't');
  const std::string handler(limits::kHandlerBytes + 100, 'h');
  old_.ask("insert into relaybus_events (id, type, key, payload) values ('m', '" + type + "', '" +
           key + "', '1'), ('n', '', '', '2')");
  old_.ask(
      "insert into relaybus_deliveries (id, event_id, handler, key, sequence) values"
      " ('1', 'm', '" +
      handler + "', '" + key + "', 1), ('2', 'n', 'h', '', 1)");
  old_.ask("insert into relaybus_keys values ('" + key + "', 1), ('', 1)");

  old_.upgrade();

  EXPECT_EQ(old_.ask("select handler from relaybus_deliveries where key = '" + key + "'"), handler);
  EXPECT_EQ(old_.ask("select type from relaybus_events where key = '" + key + "'"), type);
  EXPECT_EQ(old_.ask("select sequence from relaybus_deliveries where key = ''"), "1");
}

TEST_F(UpgradeTest, KeepsTheHighestNumberOfAKey) {
  old_.fill();
  old_.ask("update relaybus_keys set sequence = 1 where key = 'order-1'");
  old_.ask("insert into relaybus_keys values ('idle', 12)");

  old_.upgrade();

  EXPECT_EQ(old_.ask("select string_agg(key || ' ' || sequence, ', ' order by key)"
                     " from relaybus_keys where used_at > now() - interval '1 day'"),
            "idle 12, order-1 3, order-2 7");
}

TEST_F(UpgradeTest, MakesARunningDeliveryOfAForcedUpgradeDueAtOnce) {
  old_.fill();
  old_.ask(
      "update relaybus_deliveries set lease_expires_at = now() + interval '1 h', available_at ="
      " now() + interval '1 h' where id = 'd8'");

  old_.upgrade(OldLeases::ignore);

  EXPECT_EQ(old_.ask("select available_at <= now() and available_at > now() - interval '1 min'"
                     " from relaybus_deliveries where sequence = 2"),
            "t");
}

/// 500,000 rows in `make soak`.
TEST_F(UpgradeTest, ConvertsManyRows) {
  const std::size_t rows = test::scale() > 1 ? 500'000 : 20'000;
  old_.fill_with(rows);
  const std::string expected = old_.ask(
      "select string_agg(concat_ws(' ', s, n, a, k), ', ' order by s) from (select case status when"
      " 'processing' then 'pending' else status end as s, count(*) as n, sum(attempts) as a,"
      " count(key) as k from relaybus_deliveries group by 1) t");

  old_.upgrade();

  EXPECT_EQ(old_.ask("select string_agg(concat_ws(' ', s, n, a, k), ', ' order by s) from (select"
                     " status as s, count(*) as n, sum(attempts) as a, count(key) as k"
                     " from relaybus_deliveries group by 1) t"),
            expected);
  EXPECT_EQ(
      old_.ask("select count(*) from relaybus_events e join relaybus_deliveries d on"
               " d.event_id = e.id where e.handlers = array[d.handler] and"
               " d.key is not distinct from e.key and d.created_at = e.created_at and"
               " convert_from(e.payload, 'UTF8')::jsonb->>'note' like 'a text; with: some,%'"),
      std::to_string(rows));
  EXPECT_EQ(old_.ask("select count(*) from (select sequence, row_number() over (partition by key"
                     " order by id) as n from relaybus_deliveries where key is not null) t"
                     " where sequence <> n"),
            "0");
  EXPECT_EQ(old_.ask("select count(*) from relaybus_events where headers ? 'penstock-original-id'"),
            std::to_string(rows / 10));
}

TEST_F(UpgradeTest, PutsDeliveriesIntoTheLanesThatPublishingUses) {
  old_.fill_with(1'000);
  old_.ask("insert into relaybus_events (id, type, key, payload) values ('k', 't', '日本', '1')");
  old_.ask(
      "insert into relaybus_deliveries (id, event_id, handler, key, sequence)"
      " values ('k', 'k', 'receipt', '日本', 1)");

  old_.upgrade();

  std::istringstream lines(
      old_.ask("select string_agg(coalesce(key, event_id::text) || ' ' || lane, E'\\n')"
               " from relaybus_deliveries"));
  std::string text;
  int lane = 0;
  int count = 0;
  for (; lines >> text >> lane; ++count) EXPECT_EQ(LaneId{lane}, work::lane_of(text)) << text;
  EXPECT_EQ(count, 1'001);
  EXPECT_EQ(old_.ask("select lane from relaybus_deliveries where key = '日本'"), "81");
}

}  // namespace
}  // namespace penstock::postgres::detail
