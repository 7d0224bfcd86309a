// What operators and subscribing programs do: subscriptions, requeue, bury, purge.
#include "store/postgres/bus/list_query.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

/// Goes through a selection part by part, each in a transaction of its own, so that the lanes are
/// locked for a short time only; counts what `act` did.
template <typename Act>
std::int64_t for_each_part(Database& database, std::string_view operation,
                           const Selection& selection, std::string_view status, Act act) {
  std::int64_t total = 0;
  std::int64_t after = std::numeric_limits<std::int64_t>::min();
  for (;;) {
    std::int64_t last = after;
    total += database.transact(operation, Effect::repeatable, [&](Connection& connection) {
      const std::vector<SelectedDelivery> part =
          selected_deliveries(connection, selection, status, after);
      last = part.empty() ? after : part.back().id;
      return part.empty() ? 0 : act(connection, part);
    });
    if (last == after) return total;
    after = last;
  }
}

std::vector<std::int64_t> ids_of(const std::vector<SelectedDelivery>& part) {
  std::vector<std::int64_t> ids;
  ids.reserve(part.size());
  for (const SelectedDelivery& item : part) ids.push_back(item.id);
  return ids;
}

}  // namespace

void PostgresBus::subscribe(const Subscription& subscription) {
  work::check_subscription(subscription);
  database_.call("subscribe", Effect::repeatable, [&](Connection& connection) {
    connection.run(sql::subscribe, subscription.handler, subscription.types,
                   std::int32_t{subscription.max_attempts});
  });
  memory_.forget_cursors();
}

Verdict PostgresBus::set_subscription_state(std::string_view handler, SubscriptionState state) {
  work::check_text("handler", handler, limits::kHandlerBytes);
  const std::int64_t rows = database_.write("subscription", [&](Connection& connection) {
    return state == SubscriptionState::removed
               ? connection.run(sql::unsubscribe, handler)
               : connection.run(sql::set_paused, handler, state == SubscriptionState::paused);
  });
  memory_.forget_cursors();
  return rows > 0 ? Verdict::done : Verdict::lost;
}

std::vector<Subscription> PostgresBus::subscriptions() {
  return database_.read("subscriptions", [](Connection& connection) {
    std::vector<Subscription> all;
    const Result rows = connection.query(sql::subscriptions);
    for (const Row row : rows) {
      all.push_back({.handler = std::string(row.text(0)),
                     .types = row.texts(1),
                     .max_attempts = static_cast<int>(row.integer(2)),
                     .paused = row.boolean(3)});
    }
    return all;
  });
}

std::int64_t PostgresBus::requeue(const Selection& selection) {
  work::check_selection(selection);
  const std::int64_t requeued = for_each_part(
      database_, "requeue", selection, "dead", [](Connection& connection, const auto& part) {
        return connection.query(sql::requeue, ids_of(part)).only().integer(0);
      });
  database_.hints().raise();
  return requeued;
}

std::int64_t PostgresBus::bury_selected(const Selection& selection, std::string_view reason) {
  work::check_selection(selection);
  return for_each_part(
      database_, "bury", selection, "pending", [&](Connection& connection, const auto& part) {
        std::vector<std::string> errors;
        errors.reserve(part.size());
        for (const SelectedDelivery& item : part) {
          errors.push_back(work::bury_text(reason, item.last_error));
        }
        return connection.query(sql::bury_selected, ids_of(part), errors).only().integer(0);
      });
}

// Each kind in a transaction of its own: short, and what one deletes the next can see.
Purged PostgresBus::purge(const Retention& retention, std::size_t limit) {
  const auto purge_rows = [&](const SqlText& sql, Duration age, std::int64_t most) {
    return database_.call("purge", Effect::repeatable, [&](Connection& connection) {
      return connection.run(sql, std::max(age, Duration::zero()), most);
    });
  };
  const auto most = static_cast<std::int64_t>(limit);
  Purged purged;
  purged.dead = purge_rows(sql::purge_dead, retention.dead, most);
  purged.history = purge_rows(sql::purge_history, retention.completed, most);
  purged.history +=
      purge_rows(sql::purge_old_completed, retention.completed, most - purged.history);
  purged.events = database_.transact("purge", Effect::repeatable, [&](Connection& connection) {
    const std::vector<EventId> ids =
        connection
            .query(sql::lock_old_events, std::max(retention.completed, Duration::zero()), most)
            .only()
            .uuids(0);
    return ids.empty() ? 0 : connection.run(sql::purge_events, ids);
  });
  purged.keys = database_.transact("purge", Effect::repeatable, [&](Connection& connection) {
    const std::vector<std::string> keys =
        connection.query(sql::lock_old_keys, std::max(retention.completed, Duration::zero()), most)
            .only()
            .texts(0);
    return keys.empty() ? 0 : connection.run(sql::purge_keys, keys);
  });
  purged.more =
      purged.dead >= most || purged.history >= most || purged.events >= most || purged.keys >= most;
  return purged;
}

}  // namespace penstock::postgres::detail
