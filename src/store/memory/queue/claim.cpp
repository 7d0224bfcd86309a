// Taking jobs: lane after lane by effective priority and the age of their heads, each strictly in
// its order, up to the first suspect.
#include <algorithm>
#include <tuple>

#include "store/memory/queue/memory_queue.hpp"

namespace penstock::memory {
namespace {

struct Candidate {
  int effective;  ///< Priority after ageing.
  Timestamp run_at;
  QueueLane* lane;
  std::size_t* room;

  friend bool operator<(const Candidate& a, const Candidate& b) noexcept {
    return std::tie(a.effective, a.run_at, a.lane->priority, a.lane->shard) <
           std::tie(b.effective, b.run_at, b.lane->priority, b.lane->shard);
  }
};

/// One step better for each `ageing` that a job has waited. Any `run_at` is allowed, so the wait is
/// counted without a sign: it may be longer than a Duration can be.
int effective_priority(int priority, Timestamp run_at, Timestamp now, Duration ageing) {
  if (ageing <= Duration::zero() || run_at >= now) return priority;
  const auto count = [](Timestamp time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
  };
  const std::uint64_t steps =
      (count(now) - count(run_at)) / static_cast<std::uint64_t>(ageing.count());
  const int most = priority - kFirstPriority;
  return priority - static_cast<int>(std::min<std::uint64_t>(steps, static_cast<unsigned>(most)));
}

}  // namespace

struct MemoryQueue::Claiming {
  const ClaimRequest& request;
  const JobSourceOptions& options;
  Timestamp now;
  WorkerRecord& worker;
  std::int64_t claim;
  std::vector<std::size_t> rooms{};   ///< Of the request; candidates point at them.
  std::vector<Candidate> lanes{};     ///< Whose head may be taken with others.
  std::vector<Candidate> suspects{};  ///< Whose head is a suspect.
  std::size_t bytes = 0;
  bool is_full = false;  ///< The next job would be too many bytes.
  std::optional<Duration> next_due_in{};
  Claimed claimed{};

  [[nodiscard]] std::size_t missing() const { return request.limit - claimed.work.size(); }
};

Claimed MemoryQueue::claim(std::int64_t source, const ClaimRequest& request,
                           const JobSourceOptions& options) {
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  Claiming claiming{.request = request,
                    .options = options,
                    .now = at,
                    .worker = living(source, request.worker, at),
                    .claim = ++last_claim_};
  gather(claiming);
  claiming.claimed.suspects_wait = !claiming.suspects.empty();
  if (request.suspects == SuspectPolicy::take_alone && !claiming.suspects.empty() &&
      request.limit > 0) {
    take(claiming, *claiming.suspects.front().lane->waiting.begin()->second);
    claiming.claimed.suspects_wait = claiming.suspects.size() > 1;
  } else {
    for (const Candidate& candidate : claiming.lanes) {
      if (claiming.is_full || claiming.missing() == 0) break;
      take_from(claiming, *candidate.lane, *candidate.room);
    }
  }
  // What the bound on bytes has left is due now.
  claiming.claimed.next_due_in =
      claiming.is_full ? std::optional(Duration::zero()) : claiming.next_due_in;
  return std::move(claiming.claimed);
}

void MemoryQueue::gather(Claiming& claiming) {
  claiming.rooms.reserve(claiming.request.handlers.size());
  for (const HandlerRoom& wanted : claiming.request.handlers) {
    const auto found = queues_.find(wanted.handler);
    if (found == queues_.end() || found->second.settings.paused) continue;
    QueueRecord& queue = found->second;
    // So that nothing waits for whoever maintains the queue.
    promote(queue, claiming.now);
    if (!queue.deferred.empty()) {
      const Duration due_in = queue.deferred.begin()->first.first - claiming.now;
      claiming.next_due_in = std::min(claiming.next_due_in.value_or(due_in), due_in);
    }
    if (wanted.room == 0) continue;
    std::size_t& room = claiming.rooms.emplace_back(wanted.room);
    for (auto& [place, lane] : queue.lanes) {
      if (lane.waiting.empty()) continue;
      const JobRecord& head = *lane.waiting.begin()->second;
      const Timestamp run_at = *head.stored->job.run_at;
      (head.suspect ? claiming.suspects : claiming.lanes)
          .push_back({.effective = effective_priority(lane.priority, run_at, claiming.now,
                                                      claiming.options.ageing),
                      .run_at = run_at,
                      .lane = &lane,
                      .room = &room});
    }
  }
  std::ranges::sort(claiming.lanes, std::less<>{});
  std::ranges::sort(claiming.suspects, std::less<>{});
}

void MemoryQueue::take_from(Claiming& claiming, QueueLane& lane, std::size_t& room) {
  while (room > 0 && claiming.missing() > 0 && !lane.waiting.empty()) {
    JobRecord& head = *lane.waiting.begin()->second;
    if (head.suspect) {
      claiming.claimed.suspects_wait = true;
      return;
    }
    const std::size_t bytes = claiming.bytes + head.stored->job.payload.size();
    if (!claiming.claimed.work.empty() && bytes > claiming.options.batch_bytes) {
      claiming.is_full = true;
      return;
    }
    claiming.bytes = bytes;
    --room;
    take(claiming, head);
  }
}

void MemoryQueue::take(Claiming& claiming, JobRecord& job) {
  QueueLane& lane = *job.lane;
  lane.waiting.erase(job.position);
  ++lane.running;
  ++lane.claimed;
  set_state(job, JobActor::claim, JobState::running);
  settle_key(job);
  const auto ordinal = static_cast<std::int64_t>(claiming.claimed.work.size());
  job.at = claiming.now;
  job.token = {.work_id = job.stored->id.value,
               .fence = {claiming.claim, ordinal, claiming.worker.source}};
  job.worker = &claiming.worker;
  claiming.worker.running.emplace(std::pair{claiming.claim, ordinal}, &job);
  claiming.claimed.work.push_back({.token = job.token,
                                   .handler = job.queue->settings.queue,
                                   .job = job.stored,
                                   .attempts = job.stored->attempts,
                                   .suspect = job.suspect,
                                   .published_at = job.stored->created_at});
}

}  // namespace penstock::memory
