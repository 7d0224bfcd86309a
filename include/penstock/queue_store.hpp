// The contract of a queue store. Every store passes tests/contract/queue, which is this file,
// executable.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/bus_store.hpp"
#include "penstock/job.hpp"
#include "penstock/log.hpp"
#include "penstock/work_source.hpp"

namespace penstock {

struct Enqueued {
  JobId id{};
  /// False: another job holds the unique key, and `id` is that one's. Nothing was stored.
  bool created = true;
  friend bool operator==(const Enqueued&, const Enqueued&) = default;
};

/// What one worker process says of itself to a queue store.
struct JobSourceOptions {
  /// A job gains one step of priority for each of these that it has waited; 0: none.
  Duration ageing = std::chrono::seconds{60};
  /// Payload bytes that one claim takes at most; a single job may exceed it.
  std::size_t batch_bytes = std::size_t{32} * 1024 * 1024;
  Log log{};
};

/// Where a dispatcher gets jobs. In a `ClaimRequest` the handlers are queues; `run_limit` means
/// nothing, because the attempts of one key may overlap.
///
/// A claim takes from the lanes of the named queues by effective priority after ageing, then by the
/// age of their first jobs, and of each lane strictly in its order, whatever the kind. Of a paused
/// queue nothing is taken. A lane is claimed up to its first suspect, which is taken alone.
///
/// The lease is one for the process and runs from the claim or from the last `extend`, whichever
/// came later; `extend` with no tokens says that an idle process lives. After it, whoever maintains
/// the queue rescues what was in flight: charged one attempt, marked suspect, and buried by it only
/// if it ran alone and has spent its attempts. `complete` takes no transaction.
///
/// Threads: thread-safe. Lives no longer than its store.
class JobSource : public WorkSource {
 public:
  /// Keeps `json` for the next attempts, however this one ends.
  ///
  /// Throws: usage (no JSON, or longer than 64 KiB), unavailable, conflict, in_doubt.
  [[nodiscard]] virtual Verdict save_progress(const Token& token, std::string_view json) = 0;
};

struct MaintenanceOptions {
  /// For people and for the lease on the duties: of one process incarnation.
  WorkerId worker{""};
  /// A process whose heartbeat stands still for this long is given up, by `stopwatch`.
  Duration lease = std::chrono::seconds{30};
  Retention retention{};
  /// How long a segment is filled at least before the next is begun (PostgreSQL).
  Duration segment = std::chrono::seconds{10};
  /// Monotonic; absent: that of this machine. Tests move it.
  std::function<std::chrono::steady_clock::time_point()> stopwatch{};
  Log log{};
};

/// What one step of maintenance did.
struct Maintained {
  std::int64_t promoted = 0;  ///< Deferred jobs that became ready.
  std::int64_t rescued = 0;   ///< Jobs taken from processes that died.
  std::int64_t buried = 0;    ///< Of those, to the dead letters.
  std::int64_t purged = 0;    ///< Rows that outlived their retention.
  std::int64_t rotated = 0;   ///< Segments begun.
  std::int64_t pruned = 0;    ///< Segments given back.
  Duration again_in{};        ///< When to call again.
};

/// The duties beside claiming: promote, rescue, rotate, prune, re-home, purge. Any number of
/// processes may have one; where the store wants one at a time to do a duty, they agree on it.
///
/// Threads: one at a time. Lives no longer than its store.
class QueueMaintenance {
 public:
  virtual ~QueueMaintenance() = default;
  /// Does what is to do now. Throws: unavailable, conflict, schema, internal.
  virtual Maintained step() = 0;
  /// The same until nothing is left that can be done now, whatever was done lately: for tests, and
  /// for an operator who does not want to wait.
  virtual Maintained step_all() = 0;
};

/// A job as an operator sees it.
struct JobInfo {
  JobId id{};
  std::string queue{};
  std::string kind{};
  JobState state = JobState::ready;
  int priority = 2;
  std::optional<int> shard{};  ///< ready and running; of others where it is fixed.
  std::optional<std::string> key{};
  std::optional<std::string> unique_key{};
  int attempts = 0;
  int max_attempts = 0;
  bool suspect = false;
  Timestamp run_at{};
  Timestamp created_at{};
  /// running: when it was claimed; dead, completed, cancelled: when it ended; else `run_at`.
  Timestamp at{};
  std::size_t payload_bytes = 0;
  std::string last_error{};
  std::optional<std::string> worker{};     ///< running only, from `show`.
  std::shared_ptr<const StoredJob> job{};  ///< From `show` only.
};

/// All conditions must hold. Ascending by id.
struct JobQuery {
  JobState state = JobState::ready;
  std::optional<std::string> queue{};
  std::optional<std::string> kind{};
  std::vector<JobId> ids{};  ///< Empty: all.
  JobId after{};             ///< The cursor: ids are unique, so no row is skipped or repeated.
  std::size_t limit = 100;   ///< 1 to 10,000.
};

struct JobPage {
  Timestamp at{};  ///< The store's now.
  std::vector<JobInfo> items{};
  std::optional<JobId> next{};  ///< `after` of the next page; empty at the end.
};

/// A queue's settings. A queue that was never configured has these.
struct QueueSettings {
  std::string queue{};
  int shards = 1;  ///< 1 to 64: strict order with 1, order within each shard with more.
  bool paused = false;
};

/// One lane.
struct LaneCounts {
  std::string queue{};
  int priority = 2;
  int shard = 0;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t claimed = 0;    ///< Since setup.
  std::int64_t completed = 0;  ///< Since setup.
};

/// What stands in no lane, of one (queue, priority).
struct AsideCounts {
  std::string queue{};
  int priority = 2;
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t dead = 0;
};

/// A process that takes jobs.
struct QueueWorker {
  std::string name{};
  bool alive = true;
  Timestamp started_at{};
  Timestamp beat_at{};  ///< For people: nobody is judged by it.
};

struct QueueStatistics {
  Timestamp at{};                       ///< The store's now.
  std::vector<QueueSettings> queues{};  ///< Every queue that is known, by name.
  std::vector<LaneCounts> lanes{};      ///< By queue, priority, shard; also lanes without jobs.
  std::vector<AsideCounts> aside{};     ///< By queue and priority; where any is not 0.
  std::vector<QueueWorker> workers{};
};

enum class Counting {
  exact,
  fast,  ///< A lane with more than 10,000 waiting jobs is counted no further.
};

/// Which dead jobs an operator's action is about. All conditions must hold; at least one is
/// required.
struct DeadSelection {
  std::vector<JobId> ids{};
  std::optional<std::string> queue{};
  std::optional<std::string> kind{};
  bool all = false;
};

/// Where to move jobs: another queue, another priority, or both.
struct Destination {
  std::optional<std::string> queue{};
  std::optional<int> priority{};
};

/// A back end of the queue.
///
/// Every call but `setup` throws `schema` where the tables are missing or of another version.
/// Threads: thread-safe.
class QueueStore {
 public:
  virtual ~QueueStore() = default;
  [[nodiscard]] virtual Capabilities capabilities() const = 0;

  /// As BusStore::setup: one call serves both.
  virtual void setup(SetupMode mode) = 0;

  /// Stores the jobs, all or nothing, in the caller's transaction where there is one, else in one
  /// of its own. Answers for each in order; in the batch, too, the first holder of a unique key
  /// wins.
  ///
  /// Jobs of one lane are claimed in the order of `jobs`, and across transactions in commit order.
  /// Keyless jobs of a call that go to one (queue, priority) share a shard.
  /// Throws: usage (nothing was written), unavailable, conflict, in_doubt (repeat it with unique
  ///         keys, or look first).
  virtual std::vector<Enqueued> enqueue(std::span<const NewJob> jobs,
                                        const Transaction* transaction) = 0;

  [[nodiscard]] virtual std::unique_ptr<JobSource> source(JobSourceOptions options) = 0;
  [[nodiscard]] virtual std::unique_ptr<QueueMaintenance> maintenance(
      MaintenanceOptions options) = 0;
  /// The returned object lives no longer than the store.
  [[nodiscard]] virtual std::unique_ptr<Wakeup> listen() = 0;

  /// Sets the width; jobs on shards beyond it are claimed as before. Throws: usage.
  virtual void set_shards(std::string_view queue, int shards) = 0;
  /// A paused queue takes jobs and gives none; what runs goes on. Throws: usage.
  virtual void set_paused(std::string_view queue, bool paused) = 0;

  /// Throws: usage (a limit of 0 or above 10,000).
  [[nodiscard]] virtual JobPage list(const JobQuery& query) = 0;
  /// One job, whole. Empty: no such job, or it ended and no history is kept.
  [[nodiscard]] virtual std::optional<JobInfo> show(JobId id) = 0;
  [[nodiscard]] virtual QueueStatistics statistics(Counting counting) = 0;

  /// Ends jobs that have not ended. A running attempt finds its token lost, and its handler is
  /// asked to stop. Answers for each in order; `lost`: it had ended, or never was.
  [[nodiscard]] virtual std::vector<Verdict> cancel(std::span<const JobId> ids) = 0;
  /// As `cancel`, to the dead letters with `reason` as the last error, cut to 8 KiB.
  [[nodiscard]] virtual std::vector<Verdict> bury(std::span<const JobId> ids,
                                                  std::string_view reason) = 0;
  /// Moves jobs that wait (ready, scheduled, retrying) by the destination's present width; one that
  /// was routed by its key goes to shard mod width. `lost`: it runs, ended, or is there already.
  /// Throws: usage (no destination, or a bad one).
  [[nodiscard]] virtual std::vector<Verdict> move(std::span<const JobId> ids,
                                                  const Destination& to) = 0;
  /// An operator's second chance: dead jobs become due now with a fresh budget. Keeps the mark of a
  /// suspect. Answers with those that it took, at most `limit`; a job whose unique key another
  /// holds by now stays dead. Throws: usage (an empty selection).
  virtual std::vector<JobId> requeue(const DeadSelection& selection, std::size_t limit) = 0;
  /// Deletes at most `limit` dead jobs; says how many. Throws: usage (an empty selection).
  virtual std::int64_t purge_dead(const DeadSelection& selection, std::size_t limit) = 0;
};

}  // namespace penstock
