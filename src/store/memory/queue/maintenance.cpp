// One step does all that can be done, so that of step_all() differs only in not waiting its turn to
// purge.
#include "store/memory/queue/maintenance.hpp"

#include <algorithm>
#include <utility>

#include "base/say.hpp"

namespace penstock::memory {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Duration kPurgeEvery = minutes{1};  ///< A purge looks at every job.
/// Soon enough for a job that falls due before a worker's next poll.
constexpr Duration kLongestWait = milliseconds{250};

MaintenanceOptions with_stopwatch(MaintenanceOptions options) {
  if (!options.stopwatch) options.stopwatch = [] { return std::chrono::steady_clock::now(); };
  return options;
}

}  // namespace

std::unique_ptr<QueueMaintenance> MemoryQueue::maintenance(MaintenanceOptions options) {
  return std::make_unique<MemoryMaintenance>(*this, std::move(options));
}

MemoryMaintenance::MemoryMaintenance(MemoryQueue& queue, MaintenanceOptions options)
    : queue_(queue), options_(with_stopwatch(std::move(options))) {}

Maintained MemoryMaintenance::step() {
  const Instant at = options_.stopwatch();
  Maintained done;
  rescue_silent(at, done);
  if (!purged_at_ || at - *purged_at_ >= kPurgeEvery) {
    purged_at_ = at;
    done.purged = queue_.purge(options_.retention);
  }
  done.promoted = queue_.promote_due();
  const Duration next_due = queue_.next_due_in().value_or(kLongestWait);
  done.again_in = std::min({next_due, kLongestWait, options_.lease / 4});
  return done;
}

Maintained MemoryMaintenance::step_all() {
  purged_at_.reset();
  return step();
}

// A process that was stopped for a while, and its workers with it, must not give them up when it
// goes on: a gap between two looks begins the watch anew.
void MemoryMaintenance::rescue_silent(Instant at, Maintained& done) {
  if (watched_at_ && at - *watched_at_ > options_.lease / 3) watched_.clear();
  watched_at_ = at;
  std::map<std::int64_t, Watched> seen;
  for (const MemoryQueue::Beat& now : queue_.beats()) {
    const auto before = watched_.find(now.source);
    const bool is_silent = before != watched_.end() && before->second.beat == now.beat;
    const Watched& watched =
        seen.emplace(now.source, is_silent ? before->second : Watched{now.beat, at}).first->second;
    if (at - watched.since < options_.lease) continue;
    const auto rescued = queue_.rescue(now);
    if (!rescued) continue;
    seen.erase(now.source);
    done.rescued += rescued->jobs;
    done.buried += rescued->buried;
    base::say(options_.log, LogLevel::warning, "worker given up: its heartbeat stopped",
              {{"worker", now.worker}, {"jobs", std::to_string(rescued->jobs)}});
  }
  watched_ = std::move(seen);
}

}  // namespace penstock::memory
