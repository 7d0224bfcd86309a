// Flags between the threads of a process: whether it could take more work than it finds, for only
// then is a notification worth while; and the hints of one thread to another, where a pooler keeps
// notifications away.
#pragma once

#include <vector>

#include "base/mutex.hpp"

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

/// Thread-safe. The flags must be removed before they go.
class Demand {
 public:
  void add(Flag& flag);
  void remove(Flag& flag);

  /// A claim has ended. One that was full will be followed by another without any notification.
  void claim_ended(bool was_full);
  [[nodiscard]] bool is_open();

 private:
  base::Mutex mutex_;
  bool open_ PENSTOCK_GUARDED_BY(mutex_) = true;
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
