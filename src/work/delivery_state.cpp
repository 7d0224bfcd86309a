// The price of a crash.
#include "work/delivery_state.hpp"

#include "base/mutant.hpp"

namespace penstock::work {

CrashCharge charge_for_crash(int attempts, bool suspect, std::optional<int> max_attempts) noexcept {
  const int charged = attempts + (base::is_mutant("skip_takeover_charge") ? 0 : 1);
  const bool ran_alone = base::is_mutant("bury_neighbours") || suspect;
  return {.attempts = charged, .bury = ran_alone && max_attempts && charged >= *max_attempts};
}

}  // namespace penstock::work
