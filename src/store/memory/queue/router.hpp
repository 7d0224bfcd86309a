// Which lane a job goes to that becomes ready.
#pragma once

#include <map>
#include <utility>

#include "store/memory/queue/records.hpp"
#include "work/lane_hash.hpp"

namespace penstock::memory {

/// Routes the jobs of one call by the present widths: a key goes by its hash, and jobs without key
/// share one shard for each (queue, priority), the next with every call, because a batch in many
/// lanes costs more than it gains.
///
/// Threads: one thread at a time.
class Router {
 public:
  [[nodiscard]] QueueLane& lane_for(QueueRecord& queue, const NewJob& job) {
    const int shard = job.key ? work::shard_of(*job.key, queue.settings.shards)
                              : rotor_shard(queue, job.priority);
    return lane(queue, job.priority, shard);
  }

  [[nodiscard]] int rotor_shard(QueueRecord& queue, int priority) {
    const auto [picked, is_new] = picked_.try_emplace({&queue, priority});
    if (is_new) {
      const unsigned turn = queue.rotors[static_cast<std::size_t>(priority)]++;
      picked->second = static_cast<int>(turn % static_cast<unsigned>(queue.settings.shards));
    }
    return picked->second;
  }

  [[nodiscard]] static QueueLane& lane(QueueRecord& queue, int priority, int shard) {
    return queue.lanes
        .try_emplace({priority, shard}, QueueLane{.priority = priority, .shard = shard})
        .first->second;
  }

 private:
  std::map<std::pair<const QueueRecord*, int>, int> picked_;
};

}  // namespace penstock::memory
