// The dispatcher: claims due work, runs handlers on threads, and records how each attempt ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "penstock/bus_store.hpp"
#include "penstock/log.hpp"

namespace penstock {

struct DispatcherOptions {
  // What changes behaviour.
  /// First half of the lease owner; the second is drawn for each start.
  std::string name = "worker";
  Duration lease = std::chrono::seconds{30};  ///< Extended at a third of it.
  Duration grace = std::chrono::seconds{30};  ///< `stop()` lets running handlers finish this long.
  /// After the grace period: how long a handler that was told to stop may take to do so before its
  /// work is given back to others.
  Duration abort_wait = std::chrono::milliseconds{200};
  Retention retention{};
  /// How often to purge; 0: never.
  Duration purge_every = std::chrono::hours{1};

  // What changes speed.
  std::size_t concurrency = 10;             ///< Handler threads.
  std::size_t batch = 10;                   ///< Most deliveries per claim.
  Duration poll = std::chrono::seconds{1};  ///< How often to look without a hint.
  /// How long a completion waits for company. None waits while nothing else runs.
  Duration completion_window = std::chrono::milliseconds{2};
  /// Ended but not yet recorded attempts after which claiming pauses: the most that a kill can
  /// make run again beyond what was running.
  std::size_t max_unrecorded = 1'000;

  Log log{};
};

struct DispatcherCounters {
  std::int64_t claimed = 0;
  std::int64_t completed = 0;
  std::int64_t retried = 0;
  std::int64_t snoozed = 0;
  std::int64_t buried = 0;
  std::int64_t released = 0;
  std::int64_t lost = 0;  ///< Attempts whose token was no longer good when they ended.
  std::int64_t claims = 0;
};

/// Runs until it is stopped or destroyed. Movable; a moved-from one is stopped.
///
/// Losing the database does not end it: it reconnects with backoff.
/// Threads: thread-safe, except moving and destroying.
class Dispatcher {
 public:
  class Impl;
  explicit Dispatcher(std::unique_ptr<Impl> impl) noexcept;  ///< Made by `Bus::start`.
  Dispatcher(Dispatcher&&) noexcept;
  Dispatcher& operator=(Dispatcher&&) noexcept;
  /// Stops; then waits for handlers that ignored the grace period, whose code still runs.
  ~Dispatcher();

  /// Returns when nothing that this process may take is due, and nothing runs. What was rescheduled
  /// to later, or lies under the lease of another worker, is not waited for.
  ///
  /// Throws: usage, from a handler of this dispatcher.
  void run_until_idle();

  /// No new claims; what has not begun is released at once; running handlers get the grace period,
  /// then their stop token; what still runs is released without spending an attempt, and its late
  /// completion is rejected. Leases are handed back. Safe to call twice, and from several threads.
  ///
  /// Throws: usage, from a handler of this dispatcher, for whose end it would wait.
  void stop();

  /// False after an `internal` error made it stop claiming, and after `stop`.
  [[nodiscard]] bool healthy() const;
  [[nodiscard]] DispatcherCounters counters() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
