// SIGTERM and SIGINT as something to wait for.
#pragma once

#include <chrono>

namespace penstock::cli {

/// Blocks SIGTERM and SIGINT in the calling thread and in all threads it starts from now on, and
/// ignores SIGPIPE. Make one before any thread.
///
/// Threads: one thread at a time.
class Termination {
 public:
  Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  /// True once one of the signals has come; false after `timeout`.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout);
  /// The signal that `wait` returned for last; 0 before.
  [[nodiscard]] int last_signal() const noexcept { return last_signal_; }

 private:
  int last_signal_ = 0;
};

}  // namespace penstock::cli
