// Lets one delivery pass through tables of its own and reads what it left there, with pageinspect.
#include "store/postgres/pages/inspect.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "base/invariant.hpp"
#include "penstock/error.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/pages/page_reader.hpp"
#include "store/postgres/sql.hpp"
#include "work/token.hpp"

namespace penstock::postgres::detail {
namespace {

using std::chrono::steady_clock;

// Sessions report to the server's statistics at the latest when they end; then it takes moments.
constexpr auto kPatience = std::chrono::seconds{10};
constexpr auto kLookEvery = std::chrono::milliseconds{20};

PostgresStoreOptions scratch(PostgresStoreOptions options) {
  options.schema = "penstock_pages_" + EventId::generate().to_string();
  options.prefix.clear();
  options.pool_size = 1;
  return options;
}

/// A schema for one inspection; it goes with the object.
class Scratch {
 public:
  explicit Scratch(const PostgresStoreOptions& options) : database_(scratch(options)) {}
  ~Scratch() {
    try {
      database_.drop();
    } catch (const Error&) {
      // The server went away; its administrator sees the schema by its name.
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Makes the tables, and keeps vacuum away from them.
  void make() {
    database_.create();
    reader_.find_pageinspect();
    for (const char* const table : {"deliveries", "lanes"}) reader_.keep_vacuum_from(table);
  }

  [[nodiscard]] const Database& database() const noexcept { return database_; }
  [[nodiscard]] PageReader& reader() noexcept { return reader_; }

  [[nodiscard]] std::int64_t page_of(LaneId lane) {
    return database_.read("pages", [lane](Connection& connection) {
      return connection.query(sql::page_of_lane, std::int64_t{lane.value}).only().integer(0);
    });
  }

 private:
  Database database_;
  PageReader reader_{database_};
};

/// Publishes, claims and completes one delivery on sessions of its own, which report when they end.
LaneId run_one_delivery(const PostgresStoreOptions& options, bool keyed) {
  Database database(options);
  PostgresBus bus(database);
  bus.subscribe({.handler = "one", .types = {"*"}});
  Event event{.type = "page.evidence", .payload = std::string(256, 'x')};
  if (keyed) event.key = "order-42";
  bus.publish({&event, 1}, nullptr);
  const WorkerId worker = WorkerId::incarnation_of("pages");
  const HandlerRoom room{.handler = "one", .room = 1};
  const Claimed claimed = bus.claim({.worker = worker, .handlers = {&room, 1}, .limit = 1});
  PENSTOCK_INVARIANT(claimed.work.size() == 1);
  const Token token = claimed.work.front().token;
  const std::vector<Verdict> completed = bus.complete({&token, 1}, nullptr);
  PENSTOCK_INVARIANT(completed.front() == Verdict::done);
  bus.relinquish(worker);
  return work::lane_of(token);
}

/// The counters, once the sessions before have reported `wanted`.
template <typename Wanted>
TablePages await_counters(Scratch& scratch, const char* table, Wanted wanted) {
  const auto deadline = steady_clock::now() + kPatience;
  for (;;) {
    TablePages found = scratch.reader().counters(table);
    if (wanted(found) || steady_clock::now() > deadline) return found;
    std::this_thread::sleep_for(kLookEvery);
  }
}

PageEvidence inspect(const PostgresStoreOptions& options, bool keyed) {
  Scratch scratch(options);
  scratch.make();
  const TablePages before = await_counters(
      scratch, "lanes", [](const TablePages& lanes) { return lanes.inserted == kLanes; });
  const LaneId lane = run_one_delivery(scratch.database().options(), keyed);

  PageEvidence evidence{.keyed = keyed};
  evidence.deliveries = await_counters(
      scratch, "deliveries", [](const TablePages& deliveries) { return deliveries.deleted > 0; });
  evidence.lanes = await_counters(
      scratch, "lanes", [&](const TablePages& lanes) { return lanes.updated > before.updated; });
  evidence.lanes.inserted -= before.inserted;
  evidence.lanes.updated -= before.updated;
  evidence.lanes.heap_only -= before.heap_only;
  scratch.reader().read_pages(evidence.deliveries, 0);
  scratch.reader().read_pages(evidence.lanes, scratch.page_of(lane));
  return evidence;
}

}  // namespace

std::vector<PageEvidence> inspect_pages(const PostgresStoreOptions& options) {
  return {inspect(options, false), inspect(options, true)};
}

}  // namespace penstock::postgres::detail
