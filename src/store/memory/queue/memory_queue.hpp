// The queue store in memory: the contract in its simplest form. One mutex guards everything; the
// verbs are spread over enqueue.cpp, claim.cpp, finish.cpp, workers.cpp, manage.cpp and
// listing.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/stores/memory.hpp"
#include "store/memory/queue/job_transitions.hpp"
#include "store/memory/queue/records.hpp"
#include "store/memory/queue/router.hpp"
#include "store/memory/wakeup.hpp"

namespace penstock::memory {

/// Threads: thread-safe.
class MemoryQueue final : public QueueStore {
 public:
  /// `options` has a clock.
  explicit MemoryQueue(MemoryStoreOptions options) : options_(std::move(options)) {}

  // QueueStore
  [[nodiscard]] Capabilities capabilities() const override;
  void setup(SetupMode mode) override;
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs,
                                const Transaction* transaction) override;
  [[nodiscard]] std::unique_ptr<JobSource> source(JobSourceOptions options) override;
  [[nodiscard]] std::unique_ptr<QueueMaintenance> maintenance(MaintenanceOptions options) override;
  [[nodiscard]] std::unique_ptr<Wakeup> listen() override;
  void set_shards(std::string_view queue, int shards) override;
  void set_paused(std::string_view queue, bool paused) override;
  [[nodiscard]] JobPage list(const JobQuery& query) override;
  [[nodiscard]] std::optional<JobInfo> show(JobId id) override;
  [[nodiscard]] QueueStatistics statistics(Counting counting) override;
  [[nodiscard]] std::vector<Verdict> cancel(std::span<const JobId> ids) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const JobId> ids,
                                          std::string_view reason) override;
  [[nodiscard]] std::vector<Verdict> move(std::span<const JobId> ids,
                                          const Destination& to) override;
  std::vector<JobId> requeue(const DeadSelection& selection, std::size_t limit) override;
  std::int64_t purge_dead(const DeadSelection& selection, std::size_t limit) override;

  // For the sources, each of which speaks for one process; see WorkSource and JobSource.
  [[nodiscard]] Claimed claim(std::int64_t source, const ClaimRequest& request,
                              const JobSourceOptions& options);
  /// Also a sign of life of the process, unless it was given up.
  [[nodiscard]] std::vector<Verdict> extend(std::int64_t source, std::span<const Token> tokens);
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens);
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items);
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items);
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens);
  [[nodiscard]] Verdict save_progress(const Token& token, std::string_view json);
  void relinquish(std::int64_t source, const WorkerId& worker);
  void inherit(std::int64_t source, const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running);

  // For maintenance.
  struct Beat {
    std::int64_t source = 0;
    std::string worker;
    std::int64_t beat = 0;
  };
  struct Rescued {
    std::int64_t jobs = 0;
    std::int64_t buried = 0;
  };
  /// Makes all jobs ready that are due and whose queue is not paused; says how many.
  std::int64_t promote_due();
  /// How long until the next one is due.
  [[nodiscard]] std::optional<Duration> next_due_in();
  /// Of the workers that are thought to live.
  [[nodiscard]] std::vector<Beat> beats();
  /// Gives up a worker whose last beat is still the one that was `seen`. Empty: it beat meanwhile.
  std::optional<Rescued> rescue(const Beat& seen);
  /// Says how many jobs and keys it deleted.
  std::int64_t purge(const Retention& retention);

  // For the store.
  /// Stores what a transaction has planned, or throws `conflict` and stores nothing.
  void commit(const PendingJobs& pending);
  /// Every job that was ever created, as its caller gave it, in commit order.
  [[nodiscard]] std::vector<NewJob> enqueued();

 private:
  /// One claim on its way; see claim.cpp.
  struct Claiming;
  /// A job as it was given, for `enqueued`.
  struct Logged {
    std::shared_ptr<const StoredJob> job;
    bool had_run_at = false;
  };

  [[nodiscard]] Timestamp now() const { return options_.clock->now(); }

  // enqueue.cpp
  Enqueued plan(std::shared_ptr<StoredJob> job, PendingJobs& pending) PENSTOCK_REQUIRES(mutex_);
  void apply(const PendingJobs& pending) PENSTOCK_REQUIRES(mutex_);
  QueueRecord& queue_named(std::string_view name) PENSTOCK_REQUIRES(mutex_);
  std::int64_t promote(QueueRecord& queue, Timestamp at) PENSTOCK_REQUIRES(mutex_);
  void set_state(JobRecord& job, JobActor actor, JobState to) PENSTOCK_REQUIRES(mutex_);
  /// Puts a job at the end of `lane`, where it waits for a claim.
  void append(JobRecord& job, QueueLane& lane) PENSTOCK_REQUIRES(mutex_);
  /// Lays a job aside until its `run_at`.
  void defer(JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  /// Takes a job that waits out of its lane, or from aside.
  void withdraw(JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  /// A copy of the stored job to change, which is the stored one from now on.
  [[nodiscard]] StoredJob& edit(JobRecord& job) PENSTOCK_REQUIRES(mutex_);

  // unique_keys.cpp
  /// False: another job holds its key.
  bool take_key(JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  /// Gives the key up that the job holds, unless the state that it is in keeps it.
  void settle_key(JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  void drop_key(const JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  std::int64_t purge_keys(Timestamp at, const Retention& retention) PENSTOCK_REQUIRES(mutex_);

  // claim.cpp
  /// Finds the lanes that this claim may take from, the best first.
  void gather(Claiming& claiming) PENSTOCK_REQUIRES(mutex_);
  void take_from(Claiming& claiming, QueueLane& lane, std::size_t& room) PENSTOCK_REQUIRES(mutex_);
  void take(Claiming& claiming, JobRecord& job) PENSTOCK_REQUIRES(mutex_);

  // finish.cpp
  /// The job that runs under `token`; null where the token is lost.
  [[nodiscard]] JobRecord* running(const Token& token) PENSTOCK_REQUIRES(mutex_);
  /// Takes a job from its worker: the token is lost.
  void end_attempt(JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  /// Ends the attempt and appends the job to the lane it came from, as it was.
  void give_back(JobRecord& job, JobActor actor) PENSTOCK_REQUIRES(mutex_);
  /// The end of a job, which is no longer anywhere: dead, completed or cancelled. Forgets it where
  /// that is not kept.
  void end_job(JobRecord& job, JobActor actor, JobState state) PENSTOCK_REQUIRES(mutex_);
  void forget(JobRecord& job) PENSTOCK_REQUIRES(mutex_);

  // workers.cpp
  /// The process behind `source`, registered where it is new or was given up; with a beat.
  WorkerRecord& living(std::int64_t source, const WorkerId& worker, Timestamp at)
      PENSTOCK_REQUIRES(mutex_);
  /// Gives back what `worker` holds, but for the tokens that are `kept`.
  void give_back_but(WorkerRecord& worker, std::span<const Token> kept) PENSTOCK_REQUIRES(mutex_);
  /// What the crash of its worker does to a job. True: it was buried.
  bool crash(JobRecord& job) PENSTOCK_REQUIRES(mutex_);

  // manage.cpp
  /// Ends jobs that have not ended, in `state`.
  std::vector<Verdict> end_open(std::span<const JobId> ids, JobState state, std::string_view reason)
      PENSTOCK_REQUIRES(mutex_);
  /// False: it does not wait, or is there already.
  bool move_one(JobId id, const Destination& to, Router& router) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] std::vector<JobRecord*> dead_jobs(const DeadSelection& selection)
      PENSTOCK_REQUIRES(mutex_);

  // listing.cpp
  [[nodiscard]] JobInfo describe(const JobRecord& job) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] std::vector<AsideCounts> count_aside() PENSTOCK_REQUIRES(mutex_);

  [[nodiscard]] JobRecord* find(JobId id) PENSTOCK_REQUIRES(mutex_) {
    const auto found = jobs_.find(id.value);
    return found == jobs_.end() ? nullptr : &found->second;
  }

  const MemoryStoreOptions options_;
  WakeupHub wakeups_;  ///< Its mutex is taken after mutex_, if both are.

  base::Mutex mutex_;
  std::map<std::string, QueueRecord, std::less<>> queues_ PENSTOCK_GUARDED_BY(mutex_);
  std::map<std::int64_t, JobRecord> jobs_ PENSTOCK_GUARDED_BY(mutex_);        ///< By id.
  std::map<std::int64_t, WorkerRecord> workers_ PENSTOCK_GUARDED_BY(mutex_);  ///< By source.
  std::unordered_map<std::string, KeyHolder> unique_keys_ PENSTOCK_GUARDED_BY(mutex_);
  std::vector<Logged> log_ PENSTOCK_GUARDED_BY(mutex_);
  std::int64_t last_id_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::int64_t last_position_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::int64_t last_claim_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::int64_t last_source_ PENSTOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace penstock::memory
