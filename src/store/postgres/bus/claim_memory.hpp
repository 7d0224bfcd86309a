// What a bus remembers from one claim of a worker to the next: where its visit of the lanes begins,
// and how far lanes full of what cannot be claimed were read. Only fairness and speed hang on it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/bus_store.hpp"

namespace penstock::postgres::detail {

/// How one claim went.
struct ClaimOutcome {
  std::optional<LaneId> first_lane{};  ///< Of the batch, in the order of the visit.
  std::optional<LaneId> last_lane{};
  /// Lanes whose scan was cut, and the row behind which it goes on.
  std::vector<std::int64_t> cut_lanes{};
  std::vector<Timestamp> cut_at{};
  std::vector<std::int64_t> cut_ids{};
  std::optional<std::string> walk_on{};  ///< The walk over keys did not come to its end.
  std::vector<std::int32_t> lanes{};     ///< Of the batch.
  std::optional<Timestamp> looked_at{};  ///< The store's now, where all lanes were looked at.
  std::vector<std::int64_t> held{};      ///< Then: those of the worker.
  bool full = false;                     ///< As many as were asked for.
  bool rescanned = false;                ///< As the plan said.
  std::chrono::steady_clock::duration took{};

  [[nodiscard]] bool was_cut() const { return !cut_lanes.empty() || walk_on; }
};

/// Thread-safe.
class ClaimMemory {
 public:
  using Steady = std::chrono::steady_clock;

  struct Plan {
    std::int32_t first_lane = 0;
    /// Lanes that are expected to fill a batch, and those that may be held …
    std::vector<std::int32_t> near{};
    std::optional<Timestamp> looked_at{};  ///< … as all lanes were seen then; absent: ask for all.
    bool rescan = true;
    std::size_t turn = 0;  ///< Which handler comes first.
    /// By lane, where reading goes on; absent, or both empty: at the lane's mark.
    std::vector<std::optional<Timestamp>> cursor_at{};
    std::vector<std::int64_t> cursor_ids{};
    std::string walk_after{};  ///< Where the walk over keys goes on.
    /// Deliveries that were completed since the last plan: their rows are gone.
    std::vector<std::int64_t> gone{};
  };

  [[nodiscard]] Plan plan(std::string_view worker, Steady::time_point now);
  void learn(std::string_view worker, const ClaimOutcome& outcome, Steady::time_point now);
  /// Some may be forgotten: then a claim looks for their rows in vain.
  void completed(std::span<const std::int64_t> deliveries);
  /// Rows before the cursors may be claimable again, and in any lane.
  void forget_cursors();

 private:
  struct Worker {
    std::int32_t first_lane = 0;
    int claims_here = 0;  ///< That began in `first_lane`.
    bool was_full = false;
    std::optional<Timestamp> looked_at{};  ///< At all lanes; the store's time.
    std::set<std::int32_t> held{};         ///< What may be held, since then.
    std::size_t turn = 0;
    Steady::time_point last_used{};
    Steady::time_point next_rescan{};
    bool has_cursors = false;
    std::vector<std::optional<Timestamp>> cursor_at{};
    std::vector<std::int64_t> cursor_ids{};
    std::string walk_after{};
    Steady::time_point sweep_began{};
    Steady::duration sweep_spent{};
  };

  Worker& known(std::string_view worker, Steady::time_point now) PENSTOCK_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<std::string, Worker, std::less<>> workers_ PENSTOCK_GUARDED_BY(mutex_);
  std::vector<std::int64_t> gone_ PENSTOCK_GUARDED_BY(mutex_);
};

}  // namespace penstock::postgres::detail
