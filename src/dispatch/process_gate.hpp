// Who of this process's dispatchers has work in hand: a suspect runs alone in its process, and a
// process may have several dispatchers.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/mutex.hpp"

namespace penstock::dispatch {

/// One for the process. Thread-safe; calls nothing.
class ProcessGate {
 public:
  enum class Presence {
    absent,  ///< Nothing in hand.
    shared,  ///< Has work in hand beside others.
    alone,   ///< The only one: a suspect may run.
  };

  static ProcessGate& instance();

  /// Comes in from `absent`, alone if nobody else is in. Stays absent while another is alone.
  [[nodiscard]] Presence enter() PENSTOCK_EXCLUDES(mutex_);
  /// Lets others in again.
  [[nodiscard]] Presence share(Presence presence) PENSTOCK_EXCLUDES(mutex_);
  [[nodiscard]] Presence leave(Presence presence) PENSTOCK_EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  pid_t process_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::size_t present_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  bool one_is_alone_ PENSTOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace penstock::dispatch
