// Subscriptions and statistics; and what of the contract the baseline does without.
#include "baseline_bus.hpp"
#include "penstock/error.hpp"
#include "store/baseline/sql.hpp"
#include "work/check.hpp"

namespace penstock::bench {
namespace {

using postgres::detail::Connection;
using postgres::detail::Effect;
using postgres::detail::Result;
using postgres::detail::Row;
namespace sql = baseline::detail::sql;

[[noreturn]] void refuse(std::string_view operation) {
  throw Error(ErrorKind::usage,
              std::string(operation) + ": the baseline of the benchmarks cannot do this",
              {.operation = std::string(operation)});
}

/// Waits out its time, or until it is interrupted.
class Polling final : public Wakeup {
 public:
  Reason wait(Duration timeout) override {
    const auto until = std::chrono::steady_clock::now() + timeout;
    base::MutexLock lock(mutex_);
    while (!interrupted_) {
      if (changed_.wait_until(lock, until) == std::cv_status::timeout) return Reason::timeout;
    }
    interrupted_ = false;
    return Reason::interrupted;
  }
  void interrupt() override {
    base::MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }

 private:
  base::Mutex mutex_;
  base::Condition changed_;
  bool interrupted_ PENSTOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace

Capabilities BaselineBus::capabilities() const {
  return {.store = "baseline", .max_payload = database_.options().max_payload};
}

void BaselineBus::setup(SetupMode mode) {
  static_cast<void>(mode);
  database_.check();
}

std::unique_ptr<Wakeup> BaselineBus::listen() { return std::make_unique<Polling>(); }

void BaselineBus::subscribe(const Subscription& subscription) {
  work::check_subscription(subscription);
  database_.call("subscribe", Effect::repeatable, [&](Connection& connection) {
    connection.run(sql::subscribe, subscription.handler, subscription.types,
                   std::int32_t{subscription.max_attempts});
  });
}

Verdict BaselineBus::set_subscription_state(std::string_view handler, SubscriptionState state) {
  const std::int64_t rows = database_.write("subscription", [&](Connection& connection) {
    return state == SubscriptionState::removed
               ? connection.run(sql::unsubscribe, handler)
               : connection.run(sql::set_paused, handler, state == SubscriptionState::paused);
  });
  return rows > 0 ? Verdict::done : Verdict::lost;
}

std::vector<Subscription> BaselineBus::subscriptions() {
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

Statistics BaselineBus::statistics() {
  return database_.read_snapshot("statistics", [](Connection& connection) {
    Statistics statistics;
    const Result events = connection.query(sql::count_events);
    statistics.events = events.only().integer(0);
    statistics.at = events.only().time(1);
    for (const Row row : connection.query(sql::subscriptions)) {
      statistics.handlers[std::string(row.text(0))];
    }
    const Result rows = connection.query(sql::statistics);
    for (const Row row : rows) {
      statistics.handlers[std::string(row.text(0))] = {.pending = row.integer(1),
                                                       .due = row.integer(2),
                                                       .in_flight = row.integer(3),
                                                       .dead = row.integer(4),
                                                       .completed = row.integer(5),
                                                       .oldest_due = row.optional_duration(6)};
    }
    return statistics;
  });
}

Purged BaselineBus::purge(const Retention& retention, std::size_t limit) {
  static_cast<void>(retention);
  static_cast<void>(limit);
  return {};
}

DeliveryPage BaselineBus::list(const ListQuery& query) {
  static_cast<void>(query);
  refuse("list");
}

std::int64_t BaselineBus::requeue(const Selection& selection) {
  static_cast<void>(selection);
  refuse("requeue");
}

std::int64_t BaselineBus::bury_selected(const Selection& selection, std::string_view reason) {
  static_cast<void>(selection);
  static_cast<void>(reason);
  refuse("bury_selected");
}

}  // namespace penstock::bench
