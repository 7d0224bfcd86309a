// Who may move a delivery from which state to which. The memory store, which is the reference,
// holds itself to this table at each move; other stores are held to the memory store.
#pragma once

#include "penstock/bus_store.hpp"

namespace penstock::memory {

/// Who moves a delivery.
enum class Actor {
  claim,      ///< pending → in_flight
  worker,     ///< in_flight → completed, pending, dead; only under a good token
  takeover,   ///< in_flight → pending, dead; when the lease has expired
  operators,  ///< requeue: dead → pending; bury: pending, in_flight → dead
};

/// Whether `actor` may move a delivery from `from` to `to`.
[[nodiscard]] constexpr bool may_move(Actor actor, DeliveryStatus from,
                                      DeliveryStatus to) noexcept {
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

}  // namespace penstock::memory
