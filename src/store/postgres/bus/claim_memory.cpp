// The policy: stay in a few lanes for a while, then move on; read blocked lanes on where the last
// claim stopped, and begin them anew at a pace that costs little.
#include "store/postgres/bus/claim_memory.hpp"

#include <algorithm>
#include <utility>

#include "work/lane_hash.hpp"

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;

// Staying keeps the leases of a busy worker few. Moving on serves every lane.
constexpr int kClaimsInOneLane = 8;
// Beyond it the one used longest ago is forgotten.
constexpr std::size_t kWorkers = 64;
constexpr std::size_t kGone = 10'000;
// Reading blocked rows again, or dead index entries while nothing is due, takes at most one part
// in this many of a worker's time.
constexpr int kPace = 20;
constexpr auto kShortestPause = 1s;

}  // namespace

ClaimMemory::Worker& ClaimMemory::known(std::string_view worker, Steady::time_point now) {
  auto found = workers_.find(worker);
  if (found == workers_.end()) {
    if (workers_.size() >= kWorkers) {
      workers_.erase(std::ranges::min_element(
          workers_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    // Workers begin in different lanes, so that they do not compete for the same.
    found = workers_.emplace(worker, Worker{.first_lane = work::lane_of(worker).value}).first;
  }
  found->second.last_used = now;
  return found->second;
}

ClaimMemory::Plan ClaimMemory::plan(std::string_view worker, Steady::time_point now) {
  const base::MutexLock lock(mutex_);
  Worker& one = known(worker, now);
  if (one.has_cursors && now >= one.sweep_began + std::max<Steady::duration>(
                                                      kShortestPause, kPace * one.sweep_spent)) {
    one.has_cursors = false;
  }
  Plan plan{.first_lane = one.first_lane,
            .near = one.was_full,
            .rescan = now >= one.next_idle_rescan,
            .turn = one.turn++,
            .walk_after = one.walk_after,
            .gone = std::exchange(gone_, {})};
  if (one.has_cursors) {
    plan.cursor_at = one.cursor_at;
    plan.cursor_ids = one.cursor_ids;
  }
  return plan;
}

void ClaimMemory::learn(std::string_view worker, const ClaimOutcome& outcome,
                        Steady::time_point now) {
  const base::MutexLock lock(mutex_);
  Worker& one = known(worker, now);
  one.was_full = outcome.full;
  if (outcome.first_lane && ++one.claims_here < kClaimsInOneLane) {
    one.first_lane = outcome.first_lane->value;
  } else if (outcome.last_lane) {
    one.first_lane = (outcome.last_lane->value + 1) % kLanes;
    one.claims_here = 0;
  }
  if (!outcome.first_lane && outcome.rescanned) {
    one.next_idle_rescan = now + std::max<Steady::duration>(kShortestPause, kPace * outcome.took);
  }
  one.walk_after = outcome.walk_on.value_or("");
  if (outcome.cut_lanes.empty()) return;
  if (!one.has_cursors) {
    one.has_cursors = true;
    one.cursor_at.assign(kLanes, std::nullopt);
    one.cursor_ids.assign(kLanes, 0);
    one.sweep_began = now;
    one.sweep_spent = {};
  }
  one.sweep_spent += outcome.took;
  for (std::size_t i = 0; i < outcome.cut_lanes.size(); ++i) {
    const auto lane = static_cast<std::size_t>(outcome.cut_lanes[i]);
    one.cursor_at.at(lane) = outcome.cut_at[i];
    one.cursor_ids.at(lane) = outcome.cut_ids[i];
  }
}

void ClaimMemory::completed(std::span<const std::int64_t> deliveries) {
  const base::MutexLock lock(mutex_);
  if (gone_.size() < kGone) gone_.insert(gone_.end(), deliveries.begin(), deliveries.end());
}

void ClaimMemory::forget_cursors() {
  const base::MutexLock lock(mutex_);
  for (auto& [name, worker] : workers_) worker.has_cursors = false;
}

}  // namespace penstock::postgres::detail
