// The gate.
#include "dispatch/process_gate.hpp"

namespace penstock::dispatch {

ProcessGate& ProcessGate::instance() {
  static ProcessGate gate;
  return gate;
}

ProcessGate::Presence ProcessGate::enter() {
  base::MutexLock lock(mutex_);
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
  if (presence != Presence::absent) --present_;
  return Presence::absent;
}

}  // namespace penstock::dispatch
