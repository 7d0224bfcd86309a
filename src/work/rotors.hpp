// Which shard a call without ordering keys goes to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"

namespace penstock::work {

/// One counter for each (queue, priority): with a single one, producers that take turns between two
/// queues would each meet every second shard only.
///
/// Thread-safe.
class Rotors {
 public:
  /// 0, 1, 2, … for each (queue, priority).
  [[nodiscard]] std::uint32_t next(std::string_view queue, int priority) {
    base::MutexLock lock(mutex_);
    return turns_[{std::string(queue), priority}]++;
  }

 private:
  base::Mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint32_t> turns_ PENSTOCK_GUARDED_BY(mutex_);
};

}  // namespace penstock::work
