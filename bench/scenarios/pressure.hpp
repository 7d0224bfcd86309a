// The scenarios of a system under pressure: dispatch of what was preloaded, disturbed from a moment
// in the middle of the window on; and more published than can be handled.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "harness/disturbance.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {

inline constexpr char kPressure[] = "pressure";
inline constexpr char kHeldTransaction[] = "held transaction";

/// Those of `pressure_line`.
inline constexpr std::array<Pressure, 6> kPressures{
    Pressure::readers, Pressure::idle_sessions, Pressure::kill,
    Pressure::kills,   Pressure::lost_sessions, Pressure::server_restart};

struct PressureLine {
  Pressure pressure = Pressure::held_transaction;
  DispatchConfig config;
  std::size_t processes = 1;
  std::uint32_t preloaded = 0;  ///< 0: as much as the contender needs, by a short run before.
  Keys keys = Keys::none;
  /// How long it lasts; acts fall into this time.
  std::chrono::milliseconds held{10'000};
};

/// The rate under pressure, the rate in the window before, and the time until the rate is back to
/// 80 % of that in a slice of 250 ms: from the end of what lasts, or from the last act.
///
/// Where work may be repeated (kills, lost sessions, a restart), leases are 5 s, everything
/// preloaded has to be handled in the end, and nothing may be pending.
[[nodiscard]] Line pressure_line(const Settings& settings, const PressureLine& what);

/// The same for a transaction with an xid that is held open, so that no vacuum removes what died
/// since. A scenario of its own, because there is a target for it.
[[nodiscard]] Line held_transaction_line(const Settings& settings, PressureLine what);

struct OverloadLine {
  DispatchConfig config;
  std::size_t processes = 1;
  double times = 1.5;
  std::chrono::milliseconds held{10'000};
};
/// Publishers and dispatchers together at `times` the greatest rate that the contender holds; then
/// publishing ends, and the time is measured until less than a second's worth of that rate waits.
[[nodiscard]] Line overload_line(const Settings& settings, const OverloadLine& what);

}  // namespace penstock::bench
