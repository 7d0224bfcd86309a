// Hints from the writers of the memory store to the dispatchers that wait.
#pragma once

#include <cstdint>
#include <memory>

#include "base/mutex.hpp"
#include "penstock/bus_store.hpp"

namespace penstock::memory {

/// Threads: thread-safe.
class WakeupHub {
 public:
  /// A hint for every listener.
  void hint();
  /// Lives no longer than the hub.
  [[nodiscard]] std::unique_ptr<Wakeup> listen();

 private:
  class Listener;

  base::Mutex mutex_;
  base::Condition changed_;
  std::uint64_t hints_ PENSTOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace penstock::memory
