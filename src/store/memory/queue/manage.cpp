// What an operator does, and retention.
#include <algorithm>
#include <unordered_set>

#include "store/memory/queue/memory_queue.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"

namespace penstock::memory {
namespace {

/// For how long a worker that was given up is still listed.
constexpr Duration kDeadWorkersListed = std::chrono::hours{1};

}  // namespace

void MemoryQueue::set_shards(std::string_view queue, int shards) {
  work::check_queue_name(queue);
  work::check_shards(shards);
  const base::MutexLock lock(mutex_);
  queue_named(queue).settings.shards = shards;
}

void MemoryQueue::set_paused(std::string_view queue, bool paused) {
  work::check_queue_name(queue);
  {
    const base::MutexLock lock(mutex_);
    queue_named(queue).settings.paused = paused;
  }
  if (!paused) wakeups_.hint();
}

std::vector<Verdict> MemoryQueue::cancel(std::span<const JobId> ids) {
  const base::MutexLock lock(mutex_);
  return end_open(ids, JobState::cancelled, {});
}

std::vector<Verdict> MemoryQueue::bury(std::span<const JobId> ids, std::string_view reason) {
  const base::MutexLock lock(mutex_);
  return end_open(ids, JobState::dead, reason);
}

// Charges nothing: no attempt came to its end by itself.
std::vector<Verdict> MemoryQueue::end_open(std::span<const JobId> ids, JobState state,
                                           std::string_view reason) {
  const Timestamp at = now();
  std::vector<Verdict> verdicts;
  verdicts.reserve(ids.size());
  for (const JobId id : ids) {
    JobRecord* const job = find(id);
    const bool is_there = job != nullptr && is_open(job->state);
    verdicts.push_back(is_there ? Verdict::done : Verdict::lost);
    if (!is_there) continue;
    const bool was_running = job->state == JobState::running;
    if (was_running) {
      end_attempt(*job);
    } else {
      withdraw(*job);
    }
    if (!reason.empty()) {
      StoredJob& stored = edit(*job);
      add_error(stored, stored.attempts + (was_running ? 1 : 0), at, work::error_text(reason));
    }
    end_job(*job, JobActor::operators, state);
  }
  return verdicts;
}

std::vector<Verdict> MemoryQueue::move(std::span<const JobId> ids, const Destination& to) {
  work::check_destination(to);
  std::vector<Verdict> verdicts;
  verdicts.reserve(ids.size());
  {
    const base::MutexLock lock(mutex_);
    Router router;
    for (const JobId id : ids) {
      verdicts.push_back(move_one(id, to, router) ? Verdict::done : Verdict::lost);
    }
  }
  wakeups_.hint();
  return verdicts;
}

bool MemoryQueue::move_one(JobId id, const Destination& to, Router& router) {
  JobRecord* const job = find(id);
  if (job == nullptr || !is_open(job->state) || job->state == JobState::running) return false;
  const NewJob& before = job->stored->job;
  const std::string name = to.queue.value_or(before.queue);
  const int priority = to.priority.value_or(before.priority);
  if (name == before.queue && priority == before.priority) return false;

  QueueRecord& queue = queue_named(name);
  const QueueLane* const from = job->lane;
  const bool same_queue = &queue == job->queue;
  withdraw(*job);
  NewJob& moved = edit(*job).job;
  moved.queue = name;
  moved.priority = priority;
  job->queue = &queue;
  if (job->state != JobState::ready) {
    // Its shard is chosen when it becomes due.
    defer(*job);
    return true;
  }
  const int shards = queue.settings.shards;
  const bool stays = same_queue && from->shard < shards;
  const int shard = moved.key || stays ? from->shard % shards : router.rotor_shard(queue, priority);
  set_state(*job, JobActor::operators, JobState::ready);
  append(*job, Router::lane(queue, priority, shard));
  return true;
}

std::vector<JobRecord*> MemoryQueue::dead_jobs(const DeadSelection& selection) {
  const std::unordered_set<std::int64_t> ids = [&] {
    std::unordered_set<std::int64_t> values;
    for (const JobId id : selection.ids) values.insert(id.value);
    return values;
  }();
  std::vector<JobRecord*> found;
  for (auto& [id, job] : jobs_) {
    if (job.state == JobState::dead && (ids.empty() || ids.contains(id)) &&
        (!selection.queue || *selection.queue == job.stored->job.queue) &&
        (!selection.kind || *selection.kind == job.stored->job.kind)) {
      found.push_back(&job);
    }
  }
  return found;
}

std::vector<JobId> MemoryQueue::requeue(const DeadSelection& selection, std::size_t limit) {
  work::check_dead_selection(selection);
  std::vector<JobId> requeued;
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    Router router;
    for (JobRecord* const job : dead_jobs(selection)) {
      if (requeued.size() >= limit) break;
      if (!take_key(*job)) continue;
      StoredJob& stored = edit(*job);
      stored.attempts = 0;
      stored.job.run_at = at;
      set_state(*job, JobActor::operators, JobState::ready);
      append(*job, router.lane_for(*job->queue, stored.job));
      requeued.push_back(stored.id);
    }
  }
  if (!requeued.empty()) wakeups_.hint();
  return requeued;
}

std::int64_t MemoryQueue::purge_dead(const DeadSelection& selection, std::size_t limit) {
  work::check_dead_selection(selection);
  const base::MutexLock lock(mutex_);
  std::int64_t purged = 0;
  for (JobRecord* const job : dead_jobs(selection)) {
    if (static_cast<std::size_t>(purged) >= limit) break;
    drop_key(*job);
    forget(*job);
    ++purged;
  }
  return purged;
}

std::int64_t MemoryQueue::purge(const Retention& retention) {
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  std::int64_t purged = 0;
  for (auto entry = jobs_.begin(); entry != jobs_.end();) {
    const JobRecord& job = entry->second;
    const Duration kept = job.state == JobState::dead ? retention.dead : retention.completed;
    if (is_open(job.state) || at - job.at <= kept) {
      ++entry;
      continue;
    }
    drop_key(job);
    entry = jobs_.erase(entry);
    ++purged;
  }
  std::erase_if(workers_, [&](const auto& known) {
    return !known.second.alive && at - known.second.beat_at > kDeadWorkersListed;
  });
  return purged + purge_keys(at, retention);
}

}  // namespace penstock::memory
