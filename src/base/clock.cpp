// The wall clock.
#include "penstock/clock.hpp"

namespace penstock {

Timestamp SystemClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace penstock
