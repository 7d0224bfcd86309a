// The states of a delivery, who may move it, and what a crash costs. Pure; every store decides by
// it.
#pragma once

#include <optional>

#include "penstock/bus_store.hpp"

namespace penstock::work {

/// Who moves a delivery.
enum class Actor {
  claim,      ///< pending → in_flight
  worker,     ///< in_flight → completed, pending, dead; only under a good token
  takeover,   ///< in_flight → pending, dead; when the lease has expired
  operators,  ///< requeue: dead → pending; bury: pending, in_flight → dead
};

/// Whether `actor` may move a delivery from `from` to `to`.
[[nodiscard]] bool may_move(Actor actor, DeliveryStatus from, DeliveryStatus to) noexcept;

/// What a takeover does to a delivery that was in flight.
struct CrashCharge {
  int attempts = 0;
  bool bury = false;
};

/// A crash costs every delivery in flight one attempt, but buries none by it unless it ran alone: a
/// suspect always does, so a poison delivery ends in the dead letters and its neighbours never do.
/// `max_attempts` is empty where the handler has no subscription: then nobody knows, so it stays.
[[nodiscard]] CrashCharge charge_for_crash(int attempts, bool suspect,
                                           std::optional<int> max_attempts) noexcept;

/// The last error of a delivery that a takeover charged.
inline constexpr char kWorkerLost[] =
    "worker lost: its lease expired while the delivery was in flight";

}  // namespace penstock::work
