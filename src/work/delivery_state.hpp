// What a crash does to the state of a delivery. Pure; every store decides by it.
#pragma once

#include <optional>

namespace penstock::work {

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

/// The last error of a job that a rescue charged.
inline constexpr char kJobWorkerLost[] =
    "worker lost: its heartbeat stopped while the job was in flight";

}  // namespace penstock::work
