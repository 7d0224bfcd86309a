// Flags between the threads of a process: whether it could take more work than it finds, for only
// then is a notification worth while; and the hints of one thread to another, where a pooler keeps
// notifications away.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/clock.hpp"

namespace penstock::postgres::detail {

/// A file descriptor that is readable once it was raised, until it is taken.
class Flag {
 public:
  Flag();
  ~Flag();
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

  void raise() noexcept;
  /// Whether it was raised since it was last taken.
  [[nodiscard]] bool take() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

enum class Found { nothing, some, full_batch };

/// A notification takes a lock of the whole cluster at commit: publishers that all notify commit
/// one after the other, and no two of them share a flush of the log. So a process that keeps
/// finding work asks for none, full batches or not, and looks again by itself, soon. Once it has
/// found nothing for a while it asks again.
///
/// Thread-safe. The flags must be removed before they go.
class Demand {
 public:
  using Steady = std::chrono::steady_clock;

  void add(Flag& flag);
  void remove(Flag& flag);

  /// A claim has ended. After how long to claim again; empty: a notification will tell, or the
  /// batch was full, after which one claims again anyway.
  std::optional<Duration> claim_ended(Found found, Steady::time_point now);
  [[nodiscard]] bool is_open();

 private:
  void set_open(bool open) PENSTOCK_REQUIRES(mutex_);

  base::Mutex mutex_;
  bool open_ PENSTOCK_GUARDED_BY(mutex_) = true;
  int finds_in_a_row_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  Steady::time_point last_find_ PENSTOCK_GUARDED_BY(mutex_){};
  Duration next_look_ PENSTOCK_GUARDED_BY(mutex_){};
  std::vector<Flag*> flags_ PENSTOCK_GUARDED_BY(mutex_);
};

/// Who waits in this process for work that this process makes. Thread-safe. The flags must be
/// removed before they go.
class LocalHints {
 public:
  void add(Flag& flag);
  void remove(Flag& flag);
  void raise();

 private:
  base::Mutex mutex_;
  std::vector<Flag*> flags_ PENSTOCK_GUARDED_BY(mutex_);
};

}  // namespace penstock::postgres::detail
