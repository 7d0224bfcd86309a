// The ends of an attempt, each on its own whatever batch the job was claimed in.
#include "base/invariant.hpp"
#include "store/memory/queue/memory_queue.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"
#include "work/due_time.hpp"

namespace penstock::memory {
namespace {

Verdict verdict_of(const JobRecord* job) { return job != nullptr ? Verdict::done : Verdict::lost; }

}  // namespace

JobRecord* MemoryQueue::running(const Token& token) {
  JobRecord* const job = find(JobId{token.work_id});
  const bool holds = job != nullptr && job->state == JobState::running && job->token == token;
  return holds ? job : nullptr;
}

void MemoryQueue::end_attempt(JobRecord& job) {
  PENSTOCK_INVARIANT(job.state == JobState::running);
  --job.lane->running;
  job.worker->running.erase({job.token.fence[0], job.token.fence[1]});
  job.worker = nullptr;
}

void MemoryQueue::give_back(JobRecord& job, JobActor actor) {
  end_attempt(job);
  set_state(job, actor, JobState::ready);
  // Where another took the key while this one ran without it, this one goes on without.
  take_key(job);
  append(job, *job.lane);
}

void MemoryQueue::end_job(JobRecord& job, JobActor actor, JobState state) {
  set_state(job, actor, state);
  job.lane = nullptr;
  job.at = now();
  settle_key(job);
  if (state != JobState::dead && !options_.retain_completed) forget(job);
}

void MemoryQueue::forget(JobRecord& job) { jobs_.erase(job.stored->id.value); }

std::vector<Verdict> MemoryQueue::complete(std::span<const Token> tokens) {
  const base::MutexLock lock(mutex_);
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  for (const Token& token : tokens) {
    JobRecord* const job = running(token);
    verdicts.push_back(verdict_of(job));
    if (job == nullptr) continue;
    end_attempt(*job);
    ++job->lane->completed;
    end_job(*job, JobActor::worker, JobState::completed);
  }
  return verdicts;
}

std::vector<Verdict> MemoryQueue::reschedule(std::span<const Reschedule> items) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(items.size());
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    for (const Reschedule& item : items) {
      JobRecord* const job = running(item.token);
      verdicts.push_back(verdict_of(job));
      if (job == nullptr) continue;
      end_attempt(*job);
      StoredJob& stored = edit(*job);
      add_error(stored, stored.attempts + 1, at, work::error_text(item.error));
      if (item.charge == Charge::charge) ++stored.attempts;
      stored.job.run_at = work::due_after(at, item.delay);
      job->suspect = false;
      set_state(*job, JobActor::worker,
                stored.attempts > 0 ? JobState::retrying : JobState::scheduled);
      take_key(*job);
      defer(*job);
    }
  }
  wakeups_.hint();
  return verdicts;
}

std::vector<Verdict> MemoryQueue::bury(std::span<const Bury> items) {
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  std::vector<Verdict> verdicts;
  verdicts.reserve(items.size());
  for (const Bury& item : items) {
    JobRecord* const job = running(item.token);
    verdicts.push_back(verdict_of(job));
    if (job == nullptr) continue;
    end_attempt(*job);
    StoredJob& stored = edit(*job);
    ++stored.attempts;
    add_error(stored, stored.attempts, at, work::error_text(item.reason));
    job->suspect = false;
    end_job(*job, JobActor::worker, JobState::dead);
  }
  return verdicts;
}

std::vector<Verdict> MemoryQueue::release(std::span<const Token> tokens) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  {
    const base::MutexLock lock(mutex_);
    for (const Token& token : tokens) {
      JobRecord* const job = running(token);
      verdicts.push_back(verdict_of(job));
      if (job != nullptr) give_back(*job, JobActor::worker);
    }
  }
  wakeups_.hint();
  return verdicts;
}

Verdict MemoryQueue::save_progress(const Token& token, std::string_view json) {
  work::check_progress(json);
  const base::MutexLock lock(mutex_);
  JobRecord* const job = running(token);
  if (job != nullptr) edit(*job).progress = json;
  return verdict_of(job);
}

}  // namespace penstock::memory
