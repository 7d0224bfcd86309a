// Statistics: all counts of one snapshot.
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

void count_deliveries(Connection& connection, Statistics& statistics) {
  const Result rows = connection.query(sql::count_deliveries);
  for (const Row row : rows) {
    HandlerStatistics& handler = statistics.handlers[std::string(row.text(0))];
    handler.pending = row.integer(1);
    handler.due = row.integer(2);
    handler.in_flight = row.integer(3);
    handler.dead = row.integer(4);
    handler.completed = row.integer(5);
    handler.oldest_due = row.optional_duration(6);
  }
}

void read_lanes(Connection& connection, Statistics& statistics) {
  const Result rows = connection.query(sql::lanes);
  for (const Row row : rows) {
    LaneInfo lane{.lane = LaneId{static_cast<std::int32_t>(row.integer(0))},
                  .epoch = Epoch{row.integer(1)},
                  .owner = row.optional_text(2),
                  .expires_at = row.optional_time(3)};
    for (const std::int64_t id : row.integers(4)) lane.in_flight.push_back(DeliveryId{id});
    statistics.lanes.push_back(std::move(lane));
  }
}

}  // namespace

Statistics PostgresBus::statistics() {
  return database_.read_snapshot("statistics", [&](Connection& connection) {
    Statistics statistics;
    {
      const Result counts = connection.query(sql::count_events);
      statistics.at = counts.only().time(0);
      statistics.events = counts.only().integer(1);
      statistics.takeovers = counts.only().integer(2);
    }
    {
      const Result rows = connection.query(sql::subscriptions);
      for (const Row row : rows) statistics.handlers.try_emplace(std::string(row.text(0)));
    }
    count_deliveries(connection, statistics);
    if (database_.options().completion_history) {
      const Result rows = connection.query(sql::count_completed);
      for (const Row row : rows) {
        statistics.handlers[std::string(row.text(0))].completed += row.integer(1);
      }
    }
    read_lanes(connection, statistics);
    return statistics;
  });
}

}  // namespace penstock::postgres::detail
