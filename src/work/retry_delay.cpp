// How long to wait before the next attempt.
#include <algorithm>
#include <cmath>

#include "penstock/handler.hpp"

namespace penstock {

Duration default_retry_delay(int attempts_spent, double random) noexcept {
  constexpr double kCapSeconds = 24.0 * 60 * 60;
  // 2^17 s is beyond the cap, so larger exponents need not be computed and cannot overflow.
  const double base = std::ldexp(1.0, std::clamp(attempts_spent, 0, 17));
  const double seconds = std::min(base * (1.0 + 0.25 * std::clamp(random, 0.0, 1.0)), kCapSeconds);
  return Duration{static_cast<Duration::rep>(seconds * 1e6)};
}

}  // namespace penstock
