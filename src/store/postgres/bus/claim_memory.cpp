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
// While batches are full, a claim looks at this many lanes, and at those that it may hold.
constexpr std::int32_t kNearLanes = 8;
constexpr std::size_t kMostHeldNear = 32;
constexpr std::size_t kGone = 10'000;
// Reading blocked rows again, or dead index entries, takes at most one part in this many of a
// worker's time.
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
            .rescan = now >= one.next_rescan,
            .turn = one.turn++,
            .walk_after = one.walk_after,
            .gone = std::exchange(gone_, {})};
  if (one.was_full && one.looked_at && one.held.size() <= kMostHeldNear) {
    plan.looked_at = one.looked_at;
    std::set<std::int32_t> near = one.held;
    for (std::int32_t i = 0; i < kNearLanes; ++i) near.insert((one.first_lane + i) % kLanes);
    plan.near.assign(near.begin(), near.end());
  }
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
  if (outcome.looked_at) {
    one.looked_at = outcome.looked_at;
    one.held.clear();
    for (const std::int64_t lane : outcome.held) one.held.insert(static_cast<std::int32_t>(lane));
  }
  one.held.insert(outcome.lanes.begin(), outcome.lanes.end());
  if (outcome.first_lane && ++one.claims_here < kClaimsInOneLane) {
    one.first_lane = outcome.first_lane->value;
  } else if (outcome.last_lane) {
    one.first_lane = (outcome.last_lane->value + 1) % kLanes;
    one.claims_here = 0;
  }
  if (outcome.rescanned) {
    const Steady::duration pause = kPace * outcome.took;
    one.next_rescan =
        now + (outcome.first_lane ? pause : std::max<Steady::duration>(kShortestPause, pause));
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
  for (auto& [name, worker] : workers_) {
    worker.has_cursors = false;
    worker.looked_at.reset();
  }
}

}  // namespace penstock::postgres::detail
