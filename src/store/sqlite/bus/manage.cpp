// What operators and subscribing programs do: subscriptions, requeue, bury, purge.
#include "store/sqlite/bus/key_heads.hpp"
#include "store/sqlite/bus/list_query.hpp"
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check.hpp"

namespace penstock::sqlite::detail {
namespace {

/// Goes through a selection part by part, in one transaction, and counts what `act` did.
template <typename Act>
std::int64_t for_each_part(Connection& connection, const Selection& selection,
                           std::string_view status, Act act) {
  std::int64_t total = 0;
  std::int64_t after = 0;
  for (;;) {
    const std::vector<SelectedDelivery> part =
        selected_deliveries(connection, selection, status, after);
    if (part.empty()) return total;
    after = part.back().id;
    KeyHeads heads;
    for (const SelectedDelivery& item : part) {
      if (item.key) heads.add(*item.key, item.handler);
    }
    total += act(part, heads);
  }
}

std::string ids_of(const std::vector<SelectedDelivery>& part) {
  return json_array(part, [](std::string& json, const SelectedDelivery& item) {
    json += std::to_string(item.id);
  });
}

std::string ids_and_errors_of(const std::vector<SelectedDelivery>& part, std::string_view reason) {
  return json_array(part, [reason](std::string& json, const SelectedDelivery& item) {
    json += "[" + std::to_string(item.id) + ",";
    append_json(json, work::bury_text(reason, item.last_error));
    json += "]";
  });
}

std::string ids_and_lanes_of(const std::vector<SelectedDelivery>& part) {
  return json_array(part, [](std::string& json, const SelectedDelivery& item) {
    json += "[" + std::to_string(item.id) + "," + std::to_string(item.lane) + "]";
  });
}

}  // namespace

void SqliteBus::subscribe(const Subscription& subscription) {
  work::check_subscription(subscription);
  database_.write("subscribe", [&](Connection& connection) {
    connection.run(sql::subscribe, subscription.handler, json_of(subscription.types),
                   subscription.max_attempts);
  });
}

Verdict SqliteBus::set_subscription_state(std::string_view handler, SubscriptionState state) {
  work::check_text("handler", handler, limits::kHandlerBytes);
  const Verdict verdict = database_.write("subscription", [&](Connection& connection) {
    if (state == SubscriptionState::removed) {
      connection.run(sql::unsubscribe, handler);
    } else {
      connection.run(sql::set_paused, handler, state == SubscriptionState::paused);
    }
    return connection.changes() > 0 ? Verdict::done : Verdict::lost;
  });
  if (state == SubscriptionState::active) hints_.signal();
  return verdict;
}

std::vector<Subscription> SqliteBus::subscriptions() {
  return database_.read("subscriptions", [&](Connection& connection) {
    std::vector<Subscription> all;
    Query query = connection.query(sql::subscriptions);
    while (query.next()) {
      if (all.empty() || all.back().handler != query.text(0)) {
        all.push_back({.handler = std::string(query.text(0)),
                       .max_attempts = static_cast<int>(query.integer(1)),
                       .paused = query.integer(2) != 0});
      }
      all.back().types.emplace_back(query.text(3));
    }
    return all;
  });
}

std::int64_t SqliteBus::requeue(const Selection& selection) {
  work::check_selection(selection);
  const std::int64_t requeued = database_.write("requeue", [&](Connection& connection) {
    return for_each_part(connection, selection, "dead", [&](const auto& part, const auto& heads) {
      heads.demote(connection);
      connection.run(sql::requeue, ids_of(part), database_.now());
      const std::int64_t changed = connection.changes();
      heads.promote(connection);
      return changed;
    });
  });
  hints_.signal();
  return requeued;
}

std::int64_t SqliteBus::bury_selected(const Selection& selection, std::string_view reason) {
  work::check_selection(selection);
  return database_.write("bury", [&](Connection& connection) {
    return for_each_part(
        connection, selection, "pending", [&](const auto& part, const auto& heads) {
          connection.run(sql::bury_selected, ids_and_errors_of(part, reason), database_.now());
          const std::int64_t changed = connection.changes();
          connection.run(sql::let_go, ids_and_lanes_of(part));
          heads.promote(connection);
          return changed;
        });
  });
}

Purged SqliteBus::purge(const Retention& retention, std::size_t limit) {
  return database_.write("purge", [&](Connection& connection) {
    const Timestamp now = database_.now();
    const Timestamp completed = now - retention.completed;
    const auto purge_rows = [&](const SqlText& sql, Timestamp cutoff) {
      connection.run(sql, cutoff, limit);
      return connection.changes();
    };
    Purged purged;
    purged.dead = purge_rows(sql::purge_dead, now - retention.dead);
    purged.history = purge_rows(sql::purge_history, completed);
    purged.events = purge_rows(sql::purge_events, completed);
    purged.keys = purge_rows(sql::purge_keys, completed);
    const auto most = static_cast<std::int64_t>(limit);
    purged.more = purged.dead >= most || purged.history >= most || purged.events >= most ||
                  purged.keys >= most;
    return purged;
  });
}

}  // namespace penstock::sqlite::detail
