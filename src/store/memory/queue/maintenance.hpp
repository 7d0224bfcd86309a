// The duties beside claiming, for the queue in memory: promote, rescue, purge. It has no segments.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "store/memory/queue/memory_queue.hpp"

namespace penstock::memory {

/// Lives no longer than its queue. Threads: one at a time.
class MemoryMaintenance final : public QueueMaintenance {
 public:
  MemoryMaintenance(MemoryQueue& queue, MaintenanceOptions options);

  Maintained step() override;
  Maintained step_all() override;

 private:
  using Instant = std::chrono::steady_clock::time_point;
  /// A beat, and since when it has been the last one.
  struct Watched {
    std::int64_t beat = 0;
    Instant since;
  };

  void rescue_silent(Instant at, Maintained& done);

  MemoryQueue& queue_;
  const MaintenanceOptions options_;
  std::map<std::int64_t, Watched> watched_;  ///< By source.
  std::optional<Instant> watched_at_;        ///< The last look at the beats.
  std::optional<Instant> purged_at_;
};

}  // namespace penstock::memory
