// Who may move a job from which state to which. The memory store, which is the reference, holds
// itself to this table at each move; other stores are held to the memory store.
#pragma once

#include "penstock/job.hpp"

namespace penstock::memory {

/// Who moves a job.
enum class JobActor {
  time,       ///< scheduled, retrying → ready
  claim,      ///< ready → running
  worker,     ///< running → completed, scheduled, retrying, ready, dead; only under a good token
  rescue,     ///< running → ready, dead; when the worker's heartbeat stood still
  operators,  ///< cancel and bury: whatever has not ended → cancelled, dead; move: ready → ready;
              ///< requeue: dead → ready
};

/// Whether a job in `state` still has to run.
[[nodiscard]] constexpr bool is_open(JobState state) noexcept {
  return kWhileAlive.contains(state);
}

/// Whether `actor` may move a job from `from` to `to`.
[[nodiscard]] constexpr bool may_move(JobActor actor, JobState from, JobState to) noexcept {
  using enum JobState;
  switch (actor) {
    case JobActor::time: return (from == scheduled || from == retrying) && to == ready;
    case JobActor::claim: return from == ready && to == running;
    case JobActor::worker: return from == running && to != running && to != cancelled;
    case JobActor::rescue: return from == running && (to == ready || to == dead);
    case JobActor::operators:
      return (is_open(from) && (to == cancelled || to == dead)) ||
             ((from == ready || from == dead) && to == ready);
  }
  return false;
}

}  // namespace penstock::memory
