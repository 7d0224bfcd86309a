// Says to every thread that the program has been told to stop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace penstock::cli {

/// Threads: any thread, also several at once.
class StopFlag {
 public:
  void set() {
    const std::scoped_lock lock{mutex_};
    is_set_ = true;
    changed_.notify_all();
  }

  /// True as soon as it is set; false after `patience`.
  [[nodiscard]] bool is_set_within(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, [this] { return is_set_; });
  }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  bool is_set_ = false;
};

}  // namespace penstock::cli
