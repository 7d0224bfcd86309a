// The gate.
#include "dispatch/process_gate.hpp"

#include <unistd.h>

namespace penstock::dispatch {

ProcessGate& ProcessGate::instance() {
  static ProcessGate gate;
  return gate;
}

ProcessGate::Presence ProcessGate::enter() {
  base::MutexLock lock(mutex_);
  if (process_ != ::getpid()) {
    // In a forked child: the dispatchers that were counted are those of the parent.
    process_ = ::getpid();
    present_ = 0;
    one_is_alone_ = false;
  }
  if (one_is_alone_) return Presence::absent;
  ++present_;
  one_is_alone_ = present_ == 1;
  return one_is_alone_ ? Presence::alone : Presence::shared;
}

ProcessGate::Presence ProcessGate::share(Presence presence) {
  base::MutexLock lock(mutex_);
  if (presence == Presence::alone) one_is_alone_ = false;
  return presence == Presence::absent ? Presence::absent : Presence::shared;
}

ProcessGate::Presence ProcessGate::leave(Presence presence) {
  base::MutexLock lock(mutex_);
  if (presence == Presence::alone) one_is_alone_ = false;
  if (presence != Presence::absent && present_ > 0) --present_;
  return Presence::absent;
}

}  // namespace penstock::dispatch
