// Time as a parameter: leases and due times are judged by the clock of the store.
#pragma once

#include <atomic>
#include <chrono>

namespace penstock {

/// All durations of the interface. Microseconds, because a database keeps no finer ones.
using Duration = std::chrono::microseconds;

/// A point in time, UTC.
using Timestamp = std::chrono::sys_time<Duration>;

/// The clock of a store that runs in this process (memory, SQLite).
///
/// A store on a server uses that server's clock instead.
/// Threads: thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Timestamp now() const = 0;
};

/// The wall clock of this machine.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Timestamp now() const override;
};

/// For tests: stands still until it is moved.
///
/// Threads: thread-safe.
class ManualClock final : public Clock {
 public:
  /// Begins on 2026-01-01 00:00 UTC.
  ManualClock() = default;
  explicit ManualClock(Timestamp start) : micros_(start.time_since_epoch().count()) {}

  [[nodiscard]] Timestamp now() const override {
    return Timestamp{Duration{micros_.load(std::memory_order_acquire)}};
  }
  void advance(Duration by) { micros_.fetch_add(by.count(), std::memory_order_acq_rel); }

 private:
  std::atomic<Duration::rep> micros_{1'767'225'600'000'000};
};

}  // namespace penstock
