// Publish: events and their deliveries, in one transaction, ours or the caller's. Row by row with
// prepared statements, so a batch of any size needs no more memory than its answer.
#include <sqlite3.h>

#include <algorithm>

#include "base/mutant.hpp"
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/keep_last_row.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check.hpp"
#include "work/lane_hash.hpp"
#include "work/pattern.hpp"

namespace penstock::sqlite::detail {
namespace {

std::string_view bytes_of(const EventId& id) {
  return {reinterpret_cast<const char*>(id.bytes().data()), id.bytes().size()};
}

struct Pattern {
  std::string handler;
  std::string pattern;
};

/// What belongs together while the deliveries of one event are made.
struct Target {
  std::int64_t event_number = 0;
  const std::optional<std::string>& key;
  LaneId lane{};
};

class Publisher {
 public:
  Publisher(Connection& connection, Timestamp now) : connection_(connection), now_(now) {
    Query query = connection.query(sql::matching_subscriptions);
    while (query.next()) {
      patterns_.push_back({std::string(query.text(0)), std::string(query.text(1))});
    }
  }

  Published publish(const Event& event) {
    Published published{.id = event.id ? *event.id : EventId::generate()};
    std::vector<std::string> handlers = handlers_for(event.type);
    connection_.run(sql::insert_event, Blob{bytes_of(published.id)}, event.type, event.key,
                    event.content_type, headers_to_json(event.headers), json_of(handlers), now_,
                    Blob{event.payload});
    if (connection_.changes() == 0) return publish_again(published.id);
    const Target target{
        .event_number = sqlite3_last_insert_rowid(connection_.handle()),
        .key = event.key,
        .lane = event.key ? work::lane_of(*event.key) : work::lane_of(published.id.to_string())};
    deliver(target, handlers);
    published.handlers = std::move(handlers);
    return published;
  }

 private:
  [[nodiscard]] std::vector<std::string> handlers_for(std::string_view type) const {
    std::vector<std::string> handlers;
    for (const Pattern& row : patterns_) {  // In order of handlers.
      if (!handlers.empty() && handlers.back() == row.handler) continue;
      if (work::matches(row.pattern, type)) handlers.push_back(row.handler);
    }
    return handlers;
  }

  void deliver(const Target& target, const std::vector<std::string>& handlers) {
    std::optional<std::int64_t> sequence;
    if (target.key) {
      Query query = connection_.query(sql::next_sequence, *target.key, now_);
      if (query.next()) sequence = query.integer(0);
      query.run();
    }
    for (const std::string& handler : handlers) {
      connection_.run(sql::insert_delivery, target.event_number, handler, target.key, sequence,
                      target.lane.value, now_, base::is_mutant("ignore_blocked_key"));
    }
  }

  // The id is there already: the stored event stands, and only handlers that never had it get it.
  Published publish_again(const EventId& id) {
    Published published{.id = id, .status = PublishStatus::duplicate};
    std::optional<std::string> key;
    std::string type;
    std::int64_t number = 0;
    {
      Query query = connection_.query(sql::stored_event, Blob{bytes_of(id)});
      if (!query.next()) return published;
      number = query.integer(0);
      type = query.text(1);
      key = query.optional_text(2);
    }
    std::vector<std::string> had;
    {
      Query query = connection_.query(sql::handlers_of_event, number);
      while (query.next()) had.emplace_back(query.text(0));
    }
    if (base::is_mutant("duplicate_event_redelivers")) had.clear();
    for (std::string& handler : handlers_for(type)) {
      if (std::ranges::find(had, handler) != had.end()) continue;
      connection_.run(sql::add_handler_to_event, number, handler);
      published.handlers.push_back(std::move(handler));
    }
    if (published.handlers.empty()) return published;
    deliver({.event_number = number,
             .key = key,
             .lane = key ? work::lane_of(*key) : work::lane_of(id.to_string())},
            published.handlers);
    return published;
  }

  Connection& connection_;
  const Timestamp now_;
  std::vector<Pattern> patterns_;
};

}  // namespace

std::vector<Published> SqliteBus::publish(std::span<const Event> events,
                                          const Transaction* transaction) {
  for (const Event& event : events) work::check_event(event, database_.options().max_payload);
  const auto publish_all = [&](Connection& connection) {
    const KeepLastRow keep{connection};
    Publisher publisher{connection, database_.now()};
    std::vector<Published> published;
    published.reserve(events.size());
    for (const Event& event : events) published.push_back(publisher.publish(event));
    return published;
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "publish", publish_all);
  std::vector<Published> published = database_.write("publish", publish_all);
  hints_.signal();
  return published;
}

}  // namespace penstock::sqlite::detail
