// The watch.
#include "dispatch/watch.hpp"

namespace penstock::dispatch {
namespace {

// Fine enough for timeouts of handlers; nothing else here is in a hurry.
constexpr Duration kTick = std::chrono::milliseconds{10};

}  // namespace

void Watch::run() {
  while (board_.await_in_hand()) {
    if (board_.await_closed(kTick)) return;
    look(std::chrono::steady_clock::now());
  }
}

void Watch::look(SteadyTime now) {
  // Told to stop a tenth of a lease before another worker may begin the same work.
  const Duration margin = lease_ / 10;
  bool distrust = false;
  for (const AttemptPtr& attempt : board_.in_hand()) {
    if (attempt->ended()) continue;
    if (now >= attempt->lease_until() - margin) {
      attempt->request_stop(StopReason::lease_lost);
      distrust = true;
    } else if (now >= attempt->times_out_at()) {
      attempt->timed_out();
      attempt->request_stop(StopReason::timeout);
      end_timed_out(board_, attempt);
    }
  }
  if (distrust) board_.distrust_leases();
  for (const auto& runner : runners_) runner->unstick(now);
}

}  // namespace penstock::dispatch
