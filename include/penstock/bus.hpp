// The bus: publish facts, subscribe handlers, start a dispatcher for them.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/dispatcher.hpp"
#include "penstock/event.hpp"
#include "penstock/handler.hpp"
#include "penstock/store.hpp"

namespace penstock {

/// One pattern, or several in braces: `"order.paid"`, `{"order.*", "refund.created"}`.
class TypePatterns {
 public:
  TypePatterns(const char* pattern) : patterns_{pattern} {}  // NOLINT(google-explicit-constructor)
  TypePatterns(std::string_view pattern)                     // NOLINT(google-explicit-constructor)
      : patterns_{std::string(pattern)} {}
  TypePatterns(const std::string& pattern)  // NOLINT(google-explicit-constructor)
      : patterns_{pattern} {}
  TypePatterns(std::initializer_list<const char*> patterns)
      : patterns_(patterns.begin(), patterns.end()) {}
  TypePatterns(std::vector<std::string> patterns)  // NOLINT(google-explicit-constructor)
      : patterns_(std::move(patterns)) {}

  [[nodiscard]] const std::vector<std::string>& values() const noexcept { return patterns_; }

 private:
  std::vector<std::string> patterns_;
};

struct BusOptions {
  /// Create or upgrade the tables on first use. Where false, tables that are not current throw
  /// `schema`, naming the command.
  bool setup_store = true;
};

/// The front door of the event bus.
///
/// Lives no longer than its store. Threads: thread-safe.
class Bus {
 public:
  explicit Bus(Store& store, BusOptions options = {}) : Bus(store.bus(), options) {}
  explicit Bus(BusStore& store, BusOptions options = {});
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  /// Creates or upgrades the tables now, unless `setup_store` is false: then it only checks them.
  ///
  /// `subscribe`, `start` and `publish` do so on first use, but not `publish` in the caller's
  /// transaction, which must not wait for itself: a program that does nothing else calls this
  /// first. Throws: as BusStore::setup.
  void setup();

  /// Registers `handler` for events whose type matches `types`, from now on and durably.
  ///
  /// Call it before `start`: a dispatcher runs the handlers that were subscribed when it started.
  /// A second call with one name replaces the first.
  /// Throws: usage (bad name or pattern; nothing was written), unavailable, conflict, schema.
  void subscribe(std::string_view name, const TypePatterns& types, Handler handler,
                 HandlerOptions options = {});
  /// Takes the subscription away for every process; its pending deliveries stay. `lost`: unknown.
  Verdict unsubscribe(std::string_view name);

  /// Stores one event with a delivery for every subscribed handler. Durable when it returns.
  ///
  /// Throws: as BusStore::publish.
  Published publish(Event event);
  /// Stores all or none.
  std::vector<Published> publish(std::span<const Event> events);
  /// In the caller's transaction: exists when, and only if, that commits. Needs tables: see
  /// `setup`.
  Published publish(const Transaction& transaction, Event event);
  std::vector<Published> publish(const Transaction& transaction, std::span<const Event> events);

  /// Starts threads that run the handlers subscribed so far. The bus must outlive the result.
  ///
  /// Throws: usage (no handlers, options out of range), unavailable, schema.
  [[nodiscard]] Dispatcher start(DispatcherOptions options = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
