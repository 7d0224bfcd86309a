// The sizes of claims.
#include "claim/plan.hpp"

#include <algorithm>

namespace penstock::claim {
namespace {

// How long claimed work may wait here for a thread. Long enough to keep threads busy during a round
// trip to a database, short against any delay that a user would notice.
constexpr Duration kPatience = std::chrono::milliseconds{50};

std::size_t reached_within_patience(Duration pace) {
  if (pace <= Duration::zero()) return 0;
  return static_cast<std::size_t>(kPatience / pace);
}

}  // namespace

std::optional<Plan> plan_claim(const Load& load) noexcept {
  if (load.must_be_empty_first && load.in_hand > 0) return std::nullopt;
  if (load.in_hand - load.unfinished >= load.max_unrecorded) return std::nullopt;

  const std::size_t per_thread = reached_within_patience(load.pace);
  const std::size_t ahead = std::min(load.batch, load.concurrency * per_thread);
  const std::size_t most = load.concurrency + ahead;
  if (load.unfinished >= most) return std::nullopt;
  const std::size_t limit = std::min(load.batch, most - load.unfinished);
  // A claim costs a transaction whatever its size: while work waits, claim in good portions.
  if (load.waiting > 0 && limit * 2 < load.batch) return std::nullopt;

  return Plan{.limit = limit,
              .run_limit = std::clamp<std::size_t>(per_thread, 1, limit),
              .suspects = load.in_hand == 0 ? SuspectPolicy::take_alone : SuspectPolicy::leave};
}

}  // namespace penstock::claim
