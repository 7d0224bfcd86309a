// Statistics: one snapshot, on the connection for reading.
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {
namespace {

void count_deliveries(Connection& connection, Statistics& statistics) {
  Query query = connection.query(sql::count_deliveries, statistics.at);
  while (query.next()) {
    HandlerStatistics& handler = statistics.handlers[std::string(query.text(0))];
    handler.pending = query.integer(1);
    handler.due = query.integer(2);
    handler.in_flight = query.integer(3);
    handler.dead = query.integer(4);
    if (!query.is_null(5)) handler.oldest_due = statistics.at - query.time(5);
  }
}

void read_lanes(Connection& connection, Statistics& statistics) {
  Query query = connection.query(sql::lanes);
  while (query.next()) {
    const LaneId lane{static_cast<std::int32_t>(query.integer(0))};
    if (statistics.lanes.empty() || statistics.lanes.back().lane != lane) {
      statistics.lanes.push_back({.lane = lane,
                                  .epoch = Epoch{query.integer(1)},
                                  .owner = query.optional_text(2),
                                  .expires_at = query.optional_time(3)});
    }
    if (!query.is_null(4)) {
      statistics.lanes.back().in_flight.push_back(DeliveryId{query.integer(4)});
    }
  }
}

}  // namespace

Statistics SqliteBus::statistics() {
  return database_.read("statistics", [&](Connection& connection) {
    Statistics statistics{.at = database_.now()};
    {
      Query query = connection.query(sql::subscriptions);
      while (query.next()) statistics.handlers.try_emplace(std::string(query.text(0)));
    }
    count_deliveries(connection, statistics);
    if (database_.options().completion_history) {
      Query query = connection.query(sql::count_completed);
      while (query.next()) {
        statistics.handlers[std::string(query.text(0))].completed = query.integer(1);
      }
    }
    {
      Query query = connection.query(sql::count_events);
      if (query.next()) {
        statistics.events = query.integer(0);
        statistics.takeovers = query.integer(1);
      }
    }
    read_lanes(connection, statistics);
    return statistics;
  });
}

}  // namespace penstock::sqlite::detail
