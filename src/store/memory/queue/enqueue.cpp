// New jobs become ready or are laid aside. They are planned first and applied second, so that a
// transaction can keep its plan until the commit.
#include <algorithm>

#include "base/invariant.hpp"
#include "penstock/error.hpp"
#include "store/memory/queue/memory_queue.hpp"
#include "store/memory/transaction.hpp"
#include "work/check_job.hpp"

namespace penstock::memory {

std::vector<Enqueued> MemoryQueue::enqueue(std::span<const NewJob> jobs,
                                           const Transaction* transaction) {
  PendingJobs* const pending =
      transaction == nullptr ? nullptr : &pending_of(*transaction, *this).jobs;
  work::check_jobs(jobs, options_.max_payload);
  std::vector<std::shared_ptr<StoredJob>> stored;
  stored.reserve(jobs.size());
  for (const NewJob& job : jobs)
    stored.push_back(std::make_shared<StoredJob>(StoredJob{.job = job}));

  std::vector<Enqueued> answers;
  answers.reserve(jobs.size());
  PendingJobs own;
  PendingJobs& planned = pending == nullptr ? own : *pending;
  {
    const base::MutexLock lock(mutex_);
    planned.calls.emplace_back();
    for (std::shared_ptr<StoredJob>& job : stored) answers.push_back(plan(std::move(job), planned));
    if (pending == nullptr) apply(own);
  }
  if (pending == nullptr && !jobs.empty()) wakeups_.hint();
  return answers;
}

Enqueued MemoryQueue::plan(std::shared_ptr<StoredJob> job, PendingJobs& pending) {
  const std::optional<std::string>& key = job->job.unique_key;
  if (key) {
    const auto held = unique_keys_.find(*key);
    if (held != unique_keys_.end()) return {.id = held->second.id, .created = false};
    const auto [planned, is_new] = pending.unique_keys.try_emplace(*key, JobId{last_id_ + 1});
    if (!is_new) return {.id = planned->second, .created = false};
  }
  job->id = JobId{++last_id_};
  pending.calls.back().push_back(std::move(job));
  return {.id = pending.calls.back().back()->id};
}

void MemoryQueue::commit(const PendingJobs& pending) {
  if (pending.calls.empty()) return;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& [key, id] : pending.unique_keys) {
      if (!unique_keys_.contains(key)) continue;
      throw Error(ErrorKind::conflict,
                  "another job took the unique key of job " + std::to_string(id.value) +
                      " meanwhile; run the transaction again",
                  {.operation = "commit"});
    }
    apply(pending);
  }
  wakeups_.hint();
}

void MemoryQueue::apply(const PendingJobs& pending) {
  const Timestamp at = now();
  for (const auto& call : pending.calls) {
    Router router;
    for (const std::shared_ptr<StoredJob>& stored : call) {
      log_.push_back({.job = stored, .had_run_at = stored->job.run_at.has_value()});
      stored->created_at = at;
      if (!stored->job.run_at) stored->job.run_at = at;
      JobRecord& job = jobs_.emplace_hint(jobs_.end(), stored->id.value, JobRecord{})->second;
      job.stored = stored;
      job.queue = &queue_named(stored->job.queue);
      take_key(job);
      if (*stored->job.run_at > at) {
        defer(job);
      } else {
        set_state(job, JobActor::time, JobState::ready);
        append(job, router.lane_for(*job.queue, stored->job));
      }
    }
  }
}

QueueRecord& MemoryQueue::queue_named(std::string_view name) {
  const auto found = queues_.find(name);
  if (found != queues_.end()) return found->second;
  return queues_.emplace(std::string(name), QueueRecord{.settings = {.queue = std::string(name)}})
      .first->second;
}

void MemoryQueue::set_state(JobRecord& job, JobActor actor, JobState to) {
  PENSTOCK_INVARIANT(may_move(actor, job.state, to));
  job.state = to;
}

void MemoryQueue::append(JobRecord& job, QueueLane& lane) {
  PENSTOCK_INVARIANT(job.state == JobState::ready);
  job.lane = &lane;
  job.position = ++last_position_;
  lane.waiting.emplace_hint(lane.waiting.end(), job.position, &job);
}

void MemoryQueue::defer(JobRecord& job) {
  job.lane = nullptr;
  job.queue->deferred.emplace(std::pair{*job.stored->job.run_at, job.stored->id.value}, &job);
}

void MemoryQueue::withdraw(JobRecord& job) {
  if (job.state == JobState::ready) {
    job.lane->waiting.erase(job.position);
    job.lane = nullptr;
  } else {
    job.queue->deferred.erase({*job.stored->job.run_at, job.stored->id.value});
  }
}

std::int64_t MemoryQueue::promote(QueueRecord& queue, Timestamp at) {
  std::int64_t promoted = 0;
  Router router;
  while (!queue.settings.paused && !queue.deferred.empty() &&
         queue.deferred.begin()->first.first <= at) {
    JobRecord& job = *queue.deferred.begin()->second;
    withdraw(job);
    set_state(job, JobActor::time, JobState::ready);
    append(job, router.lane_for(queue, job.stored->job));
    ++promoted;
  }
  return promoted;
}

std::int64_t MemoryQueue::promote_due() {
  std::int64_t promoted = 0;
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    for (auto& [name, queue] : queues_) promoted += promote(queue, at);
  }
  if (promoted > 0) wakeups_.hint();
  return promoted;
}

std::optional<Duration> MemoryQueue::next_due_in() {
  const base::MutexLock lock(mutex_);
  std::optional<Timestamp> next;
  for (const auto& [name, queue] : queues_) {
    if (queue.settings.paused || queue.deferred.empty()) continue;
    const Timestamp due = queue.deferred.begin()->first.first;
    next = next ? std::min(*next, due) : due;
  }
  if (!next) return std::nullopt;
  return std::max(*next - now(), Duration::zero());
}

StoredJob& MemoryQueue::edit(JobRecord& job) {
  auto copy = std::make_shared<StoredJob>(*job.stored);
  StoredJob& editable = *copy;
  job.stored = std::move(copy);
  return editable;
}

std::vector<NewJob> MemoryQueue::enqueued() {
  const base::MutexLock lock(mutex_);
  std::vector<NewJob> jobs;
  jobs.reserve(log_.size());
  for (const Logged& logged : log_) {
    jobs.push_back(logged.job->job);
    if (!logged.had_run_at) jobs.back().run_at.reset();
  }
  return jobs;
}

}  // namespace penstock::memory
