// The loop that claims. A store that fails is tried again with backoff; the process never ends by
// it.
#include "claim/claimer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/backoff.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"

namespace penstock::claim {

// Spread over a fifth, so that a fleet that was started together does not poll in step.
Duration Claimer::poll() {
  const double factor = 0.9 + 0.2 * random_.fraction();
  return Duration{static_cast<Duration::rep>(static_cast<double>(options_.poll.count()) * factor)};
}

Claimed Claimer::claim(const dispatch::ClaimOrder& order) {
  ++counters_.claims;
  Claimed claimed = source_.claim({.worker = worker_,
                                   .handlers = order.rooms,
                                   .limit = order.plan.limit,
                                   .run_limit = order.plan.run_limit,
                                   .lease = options_.lease,
                                   .suspects = order.plan.suspects});
  counters_.claimed += static_cast<std::int64_t>(claimed.work.size());
  return claimed;
}

void Claimer::become_new_incarnation() {
  const WorkerId former = std::exchange(worker_, WorkerId::incarnation_of(options_.name));
  base::say(options_.log, LogLevel::warning, "leases ran out unrenewed; starting over",
            {{"former", former.value()}, {"worker", worker_.value()}});
  relinquish(former);
}

void Claimer::relinquish(const WorkerId& worker) {
  try {
    source_.relinquish(worker);
  } catch (const Error& error) {
    // Then its leases have to expire.
    base::say_store_error(options_.log, "relinquish", error, 0);
  }
}

void Claimer::relinquish() { relinquish(worker_); }

void Claimer::settle() {
  try {
    inherit_from_former();
  } catch (const Error& error) {
    base::say_store_error(options_.log, "inherit", error, 0);
  }
}

void Claimer::inherit_from_former() {
  if (!former_) return;
  // Only a claim adds to what is in hand, so nothing that runs can be missing here.
  std::vector<Token> running;
  for (const auto& attempt : board_.in_hand()) running.push_back(attempt->work.token);
  source_.inherit(*former_, worker_, running);
  former_.reset();
}

void Claimer::run() {
  base::Backoff backoff(random_);
  Duration wait = Duration::zero();
  for (;;) {
    const auto order = board_.await_claim(std::chrono::steady_clock::now() + wait);
    if (!order) return;
    if (order->as_new_incarnation) become_new_incarnation();
    try {
      inherit_from_former();
      const auto began = std::chrono::steady_clock::now();
      Claimed claimed = claim(*order);
      const bool was_full = claimed.work.size() >= order->plan.limit;
      wait = poll();
      if (claimed.next_due_in) {
        wait = std::clamp(*claimed.next_due_in, Duration{std::chrono::milliseconds{1}}, wait);
      }
      // The lease is counted from before the call, so that this process gives up first.
      board_.add(std::move(claimed), began + options_.lease, was_full);
      backoff.reset();
    } catch (const Error& error) {
      board_.claim_failed();
      if (error.kind() == ErrorKind::internal || error.kind() == ErrorKind::usage) throw;
      base::say_store_error(options_.log, "claim", error, backoff.failures());
      if (error.kind() == ErrorKind::in_doubt && !former_) {
        former_ = std::exchange(worker_, WorkerId::incarnation_of(options_.name));
      }
      if (!board_.pause(backoff.next())) return;
    } catch (...) {
      board_.claim_failed();
      throw;
    }
  }
}

}  // namespace penstock::claim
