// Who holds which unique key, and for how long.
#include "store/memory/queue/memory_queue.hpp"

namespace penstock::memory {

bool MemoryQueue::take_key(JobRecord& job) {
  const std::optional<std::string>& key = job.stored->job.unique_key;
  if (!key) return true;
  KeyHolder& holder = unique_keys_.try_emplace(*key, KeyHolder{.id = job.stored->id}).first->second;
  if (holder.id != job.stored->id) return false;
  holder.ended_at.reset();
  return true;
}

void MemoryQueue::settle_key(JobRecord& job) {
  const std::optional<std::string>& key = job.stored->job.unique_key;
  if (!key) return;
  if (!job.stored->job.unique_states.contains(job.state)) {
    drop_key(job);
  } else if (!is_open(job.state)) {
    const auto held = unique_keys_.find(*key);
    if (held != unique_keys_.end() && held->second.id == job.stored->id) {
      held->second.ended_at = job.at;
    }
  }
}

void MemoryQueue::drop_key(const JobRecord& job) {
  const std::optional<std::string>& key = job.stored->job.unique_key;
  if (!key) return;
  const auto held = unique_keys_.find(*key);
  if (held != unique_keys_.end() && held->second.id == job.stored->id) unique_keys_.erase(held);
}

// A dead job keeps its key for as long as it is there itself.
std::int64_t MemoryQueue::purge_keys(Timestamp at, const Retention& retention) {
  std::int64_t purged = 0;
  for (auto held = unique_keys_.begin(); held != unique_keys_.end();) {
    const KeyHolder& holder = held->second;
    const JobRecord* const job = find(holder.id);
    const bool is_dead = job != nullptr && job->state == JobState::dead;
    if (is_dead || !holder.ended_at || at - *holder.ended_at <= retention.completed) {
      ++held;
    } else {
      held = unique_keys_.erase(held);
      ++purged;
    }
  }
  return purged;
}

}  // namespace penstock::memory
