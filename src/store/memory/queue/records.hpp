// What the queue in memory keeps: jobs, lanes, workers and unique keys as structs that point at
// each other. All of it is guarded by the mutex of the queue.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "penstock/queue_store.hpp"

namespace penstock::memory {

struct JobRecord;
struct QueueRecord;

/// The ordered stream of one (queue, priority, shard). Never removed.
struct QueueLane {
  int priority = 2;
  int shard = 0;
  std::map<std::int64_t, JobRecord*> waiting{};  ///< By position.
  std::int64_t running = 0;
  std::int64_t claimed = 0;    ///< Ever.
  std::int64_t completed = 0;  ///< Ever.
};

struct QueueRecord {
  QueueSettings settings;
  std::map<std::pair<int, int>, QueueLane>
      lanes{};  ///< By priority and shard; stay where they are.
  /// Scheduled and retrying jobs by when they are due, then by id.
  std::map<std::pair<Timestamp, std::int64_t>, JobRecord*> deferred{};
  std::array<unsigned, kLastPriority + 1> rotors{};  ///< By priority; see Router.
};

/// One process that takes jobs. All that it claimed and has not ended is rescued with it.
struct WorkerRecord {
  std::string name{};
  std::int64_t source = 0;  ///< Its own, through which it claims.
  bool alive = true;
  std::int64_t beat = 0;  ///< Goes up at each sign of life.
  Timestamp started_at{};
  Timestamp beat_at{};
  /// By claim and ordinal, so that what is given back keeps its order.
  std::map<std::pair<std::int64_t, std::int64_t>, JobRecord*> running{};
};

/// A job that is there: it waits, runs, is dead, or has ended and is kept as history.
struct JobRecord {
  /// Shared with whoever runs the job; replaced where it changes.
  std::shared_ptr<const StoredJob> stored;
  JobState state = JobState::scheduled;
  bool suspect = false;
  QueueRecord* queue = nullptr;
  QueueLane* lane = nullptr;       ///< ready and running only.
  std::int64_t position = 0;       ///< ready: in its lane, drawn anew at every append.
  WorkerRecord* worker = nullptr;  ///< running only.
  Token token{};                   ///< running only.
  Timestamp at{};                  ///< running: claimed; dead, completed, cancelled: ended.
};

/// Keeps how an attempt failed, where it says so; the last 20 stay.
inline void add_error(StoredJob& job, int attempt, Timestamp at, std::string text) {
  constexpr std::size_t kErrors = 20;
  if (text.empty()) return;
  if (job.errors.size() >= kErrors) job.errors.erase(job.errors.begin());
  job.errors.push_back({.attempt = attempt, .at = at, .error = std::move(text)});
}

/// Who holds a unique key.
struct KeyHolder {
  JobId id;
  std::optional<Timestamp> ended_at{};  ///< The job has ended in a state that holds the key.
};

/// What a transaction enqueues, until it commits.
struct PendingJobs {
  /// Jobs that will be created, by call: those of a call are routed together.
  std::vector<std::vector<std::shared_ptr<StoredJob>>> calls{};
  std::unordered_map<std::string, JobId> unique_keys{};  ///< That they will take.
};

}  // namespace penstock::memory
