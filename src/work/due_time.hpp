// When something that is put off becomes due. Saturates: a delay beyond the end of time means
// never, not long ago.
#pragma once

#include "penstock/clock.hpp"

namespace penstock::work {

/// `now` plus `delay`; a negative delay is none.
[[nodiscard]] constexpr Timestamp due_after(Timestamp now, Duration delay) noexcept {
  if (delay <= Duration::zero()) return now;
  return delay > Timestamp::max() - now ? Timestamp::max() : now + delay;
}

}  // namespace penstock::work
