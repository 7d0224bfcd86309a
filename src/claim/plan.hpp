// How much to claim, and whether to claim now. Pure: decides from numbers, knows no clock or
// thread.
#pragma once

#include <cstddef>
#include <optional>

#include "penstock/work_source.hpp"

namespace penstock::claim {

/// What this process has in hand, and what it may have.
struct Load {
  std::size_t concurrency = 0;
  std::size_t batch = 0;
  std::size_t in_hand = 0;     ///< Claimed and not yet recorded as ended.
  std::size_t unfinished = 0;  ///< Of those, not ended: waiting for a thread, or running.
  std::size_t waiting = 0;     ///< Of those, waiting for a thread.
  std::size_t max_unrecorded = 0;
  /// A suspect runs or waits to run alone, or the leases are in doubt.
  bool must_be_empty_first = false;
  /// The usual length of an attempt of the slowest handler; zero: none has ended yet.
  Duration pace{0};
};

struct Plan {
  std::size_t limit = 0;
  std::size_t run_limit = 1;
  SuspectPolicy suspects = SuspectPolicy::leave;
};

/// Empty: do not claim now; ask again when something ended or was recorded.
///
/// Work is claimed ahead of free threads only as far as they will reach it within a few
/// milliseconds: what waits here is withheld from idle workers elsewhere.
[[nodiscard]] std::optional<Plan> plan_claim(const Load& load) noexcept;

}  // namespace penstock::claim
