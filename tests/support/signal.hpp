// Waiting for something to happen in another thread, with a bound that only a broken test reaches.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace penstock::test {

inline constexpr std::chrono::seconds kPatience{30};

/// A count that threads raise and a test waits for. Thread-safe.
class Signal {
 public:
  void raise(int by = 1) {
    const std::lock_guard lock(mutex_);
    count_ += by;
    changed_.notify_all();
  }
  /// False: it did not come to pass within `kPatience`.
  [[nodiscard]] bool wait_for(int count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return count_ >= count; });
  }
  [[nodiscard]] int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// Waits until `condition` holds, for state that nobody signals. Yields between looks.
[[nodiscard]] inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace penstock::test
