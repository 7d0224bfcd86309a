// What an operator sees.
#include <algorithm>
#include <utility>

#include "store/memory/queue/memory_queue.hpp"
#include "work/check_job.hpp"

namespace penstock::memory {
namespace {

/// A lane is counted up to here by Counting::fast.
constexpr std::int64_t kFastCount = 10'000;

bool is_match(const JobQuery& query, const JobRecord& job) {
  const NewJob& stored = job.stored->job;
  return query.state == job.state && (!query.queue || *query.queue == stored.queue) &&
         (!query.kind || *query.kind == stored.kind) &&
         (query.ids.empty() || std::ranges::find(query.ids, job.stored->id) != query.ids.end());
}

LaneCounts count_lane(const std::string& queue, const QueueLane& lane, Counting counting) {
  const auto waiting = static_cast<std::int64_t>(lane.waiting.size());
  return {.queue = queue,
          .priority = lane.priority,
          .shard = lane.shard,
          .waiting = counting == Counting::fast ? std::min(waiting, kFastCount) : waiting,
          .running = lane.running,
          .claimed = lane.claimed,
          .completed = lane.completed};
}

}  // namespace

Capabilities MemoryQueue::capabilities() const {
  return {.store = "memory",
          .max_payload = options_.max_payload,
          .durable = false,
          .several_processes = false,
          .completion_history = options_.retain_completed,
          .borrowed_transactions = false};
}

// Memory has no tables that could be missing or old.
void MemoryQueue::setup(SetupMode /*mode*/) {}

std::unique_ptr<Wakeup> MemoryQueue::listen() { return wakeups_.listen(); }

JobInfo MemoryQueue::describe(const JobRecord& job) {
  const StoredJob& stored = *job.stored;
  const bool waits_aside = job.state == JobState::scheduled || job.state == JobState::retrying;
  JobInfo info{.id = stored.id,
               .queue = stored.job.queue,
               .kind = stored.job.kind,
               .state = job.state,
               .priority = stored.job.priority,
               .key = stored.job.key,
               .unique_key = stored.job.unique_key,
               .attempts = stored.attempts,
               .max_attempts = stored.job.max_attempts,
               .suspect = job.suspect,
               .run_at = *stored.job.run_at,
               .created_at = stored.created_at,
               .at = job.state == JobState::ready || waits_aside ? *stored.job.run_at : job.at,
               .payload_bytes = stored.job.payload.size()};
  if (job.lane != nullptr) info.shard = job.lane->shard;
  if (!stored.errors.empty()) info.last_error = stored.errors.back().error;
  return info;
}

JobPage MemoryQueue::list(const JobQuery& query) {
  work::check_job_query(query);
  const base::MutexLock lock(mutex_);
  JobPage page{.at = now()};
  for (auto entry = jobs_.upper_bound(query.after.value); entry != jobs_.end(); ++entry) {
    if (!is_match(query, entry->second)) continue;
    if (page.items.size() >= query.limit) {
      // One more matches, so there is a next page.
      page.next = page.items.back().id;
      break;
    }
    page.items.push_back(describe(entry->second));
  }
  return page;
}

std::optional<JobInfo> MemoryQueue::show(JobId id) {
  const base::MutexLock lock(mutex_);
  const JobRecord* const job = find(id);
  if (job == nullptr) return std::nullopt;
  JobInfo info = describe(*job);
  info.job = job->stored;
  if (job->worker != nullptr) info.worker = job->worker->name;
  return info;
}

QueueStatistics MemoryQueue::statistics(Counting counting) {
  const base::MutexLock lock(mutex_);
  QueueStatistics statistics{.at = now(), .aside = count_aside()};
  for (const auto& [name, queue] : queues_) {
    statistics.queues.push_back(queue.settings);
    for (const auto& [place, lane] : queue.lanes) {
      statistics.lanes.push_back(count_lane(name, lane, counting));
    }
  }
  for (const auto& [source, worker] : workers_) {
    statistics.workers.push_back({.name = worker.name,
                                  .alive = worker.alive,
                                  .started_at = worker.started_at,
                                  .beat_at = worker.beat_at});
  }
  return statistics;
}

std::vector<AsideCounts> MemoryQueue::count_aside() {
  std::map<std::pair<std::string_view, int>, AsideCounts> counts;
  for (const auto& [id, job] : jobs_) {
    const NewJob& stored = job.stored->job;
    const auto count = [&](std::int64_t AsideCounts::* what) {
      AsideCounts& aside = counts[{stored.queue, stored.priority}];
      aside.queue = stored.queue;
      aside.priority = stored.priority;
      ++(aside.*what);
    };
    if (job.state == JobState::scheduled) count(&AsideCounts::scheduled);
    if (job.state == JobState::retrying) count(&AsideCounts::retrying);
    if (job.state == JobState::dead) count(&AsideCounts::dead);
  }
  std::vector<AsideCounts> all;
  all.reserve(counts.size());
  for (auto& [place, aside] : counts) all.push_back(std::move(aside));
  return all;
}

}  // namespace penstock::memory
