// The table of moves, and the price of a crash.
#include "work/delivery_state.hpp"

#include "base/mutant.hpp"

namespace penstock::work {

bool may_move(Actor actor, DeliveryStatus from, DeliveryStatus to) noexcept {
  using enum DeliveryStatus;
  switch (actor) {
    case Actor::claim: return from == pending && to == in_flight;
    case Actor::worker: return from == in_flight && to != in_flight;
    case Actor::takeover: return from == in_flight && (to == pending || to == dead);
    case Actor::operators:
      return (from == dead && to == pending) ||
             ((from == pending || from == in_flight) && to == dead);
  }
  return false;
}

CrashCharge charge_for_crash(int attempts, bool suspect, std::optional<int> max_attempts) noexcept {
  const int charged = attempts + (base::is_mutant("skip_takeover_charge") ? 0 : 1);
  const bool ran_alone = base::is_mutant("bury_neighbours") || suspect;
  return {.attempts = charged, .bury = ran_alone && max_attempts && charged >= *max_attempts};
}

}  // namespace penstock::work
