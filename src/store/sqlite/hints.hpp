// Tells every listener in this process that work may be due.
#pragma once

#include <vector>

#include "base/mutex.hpp"

namespace penstock::sqlite::detail {

/// The event descriptors of the listeners. Thread-safe.
class Hints {
 public:
  void add(int event_descriptor);
  void remove(int event_descriptor);
  void signal();

 private:
  base::Mutex mutex_;
  std::vector<int> descriptors_ PENSTOCK_GUARDED_BY(mutex_);
};

/// Makes an event descriptor readable.
void raise_event(int event_descriptor) noexcept;

}  // namespace penstock::sqlite::detail
