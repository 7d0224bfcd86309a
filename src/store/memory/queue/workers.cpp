// The processes that take jobs: signs of life, what becomes of the jobs of one that died, and of
// one that goes on under another name.
#include <set>

#include "store/memory/queue/memory_queue.hpp"
#include "work/delivery_state.hpp"

namespace penstock::memory {
namespace {

constexpr char kWorkerLost[] = "worker lost: its heartbeat stopped while the job was in flight";

void beat(WorkerRecord& worker, Timestamp at) {
  ++worker.beat;
  worker.beat_at = at;
}

}  // namespace

// A process that was given up holds nothing any more, and begins anew.
WorkerRecord& MemoryQueue::living(std::int64_t source, const WorkerId& worker, Timestamp at) {
  const auto [entry, is_new] = workers_.try_emplace(source);
  WorkerRecord& record = entry->second;
  if (is_new || !record.alive) record = {.source = source, .started_at = at, .beat_at = at};
  record.name = worker.value();
  beat(record, at);
  return record;
}

std::vector<Verdict> MemoryQueue::extend(std::int64_t source, std::span<const Token> tokens) {
  const base::MutexLock lock(mutex_);
  const auto known = workers_.find(source);
  if (known != workers_.end() && known->second.alive) beat(known->second, now());
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  for (const Token& token : tokens) {
    verdicts.push_back(running(token) != nullptr ? Verdict::done : Verdict::lost);
  }
  return verdicts;
}

void MemoryQueue::give_back_but(WorkerRecord& worker, std::span<const Token> kept) {
  const std::set<Token> keep(kept.begin(), kept.end());
  std::vector<JobRecord*> back;
  for (const auto& [place, job] : worker.running) {
    if (!keep.contains(job->token)) back.push_back(job);
  }
  for (JobRecord* const job : back) give_back(*job, JobActor::worker);
}

// The lease is one for the process: what it still holds goes back with it.
void MemoryQueue::relinquish(std::int64_t source, const WorkerId& worker) {
  {
    const base::MutexLock lock(mutex_);
    const auto known = workers_.find(source);
    if (known == workers_.end() || known->second.name != worker.value()) return;
    give_back_but(known->second, {});
    workers_.erase(known);
  }
  wakeups_.hint();
}

// The record stays and bears the new name. Where it does so already, the call is a repeated one,
// and what the heir has claimed meanwhile is not for it to give back.
void MemoryQueue::inherit(std::int64_t source, const WorkerId& former, const WorkerId& worker,
                          std::span<const Token> running) {
  {
    const base::MutexLock lock(mutex_);
    const auto known = workers_.find(source);
    const bool holds = known != workers_.end() && known->second.name == former.value();
    WorkerRecord& heir = living(source, worker, now());
    if (holds) give_back_but(heir, running);
  }
  wakeups_.hint();
}

std::vector<MemoryQueue::Beat> MemoryQueue::beats() {
  const base::MutexLock lock(mutex_);
  std::vector<Beat> beats;
  for (const auto& [source, worker] : workers_) {
    if (!worker.alive) continue;
    beats.push_back({.source = source, .worker = worker.name, .beat = worker.beat});
  }
  return beats;
}

std::optional<MemoryQueue::Rescued> MemoryQueue::rescue(const Beat& seen) {
  Rescued rescued;
  {
    const base::MutexLock lock(mutex_);
    const auto known = workers_.find(seen.source);
    if (known == workers_.end()) return std::nullopt;
    WorkerRecord& worker = known->second;
    if (!worker.alive || worker.beat != seen.beat) return std::nullopt;
    worker.alive = false;
    while (!worker.running.empty()) {
      ++rescued.jobs;
      if (crash(*worker.running.begin()->second)) ++rescued.buried;
    }
  }
  if (rescued.jobs > rescued.buried) wakeups_.hint();
  return rescued;
}

bool MemoryQueue::crash(JobRecord& job) {
  StoredJob& stored = edit(job);
  const work::CrashCharge charge =
      work::charge_for_crash(stored.attempts, job.suspect, stored.job.max_attempts);
  add_error(stored, stored.attempts + 1, now(), kWorkerLost);
  stored.attempts = charge.attempts;
  job.suspect = true;
  if (charge.bury) {
    end_attempt(job);
    end_job(job, JobActor::rescue, JobState::dead);
  } else {
    give_back(job, JobActor::rescue);
  }
  return charge.bury;
}

}  // namespace penstock::memory
