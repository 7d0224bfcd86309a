// Does the slow duties of a queue beside its dispatcher: promote, rescue, rotate, prune, purge.
#pragma once

#include <functional>
#include <memory>

#include "base/backoff.hpp"
#include "base/mutex.hpp"
#include "base/random.hpp"
#include "penstock/log.hpp"
#include "penstock/queue_store.hpp"

namespace penstock::maintain {

/// Thread-safe: steps take turns.
class Duties {
 public:
  Duties(std::unique_ptr<QueueMaintenance> maintenance, Log log)
      : maintenance_(std::move(maintenance)), log_(std::move(log)) {}

  /// Body of the thread. `wait(delay)` sleeps, and answers true when it is to end. A store that
  /// fails is tried again with backoff.
  void run(const std::function<bool(Duration)>& wait);

  /// One step now; whether jobs became ready by it, or may have. A store that fails has done
  /// nothing.
  bool step() PENSTOCK_EXCLUDES(mutex_);

 private:
  [[nodiscard]] Maintained step_locked() PENSTOCK_REQUIRES(mutex_);
  void report(const Maintained& done) const;

  base::Mutex mutex_;
  const std::unique_ptr<QueueMaintenance> maintenance_;  // Used under the mutex only.
  const Log log_;
  base::Random random_;
};

}  // namespace penstock::maintain
