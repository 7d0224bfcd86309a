// The contract of a queue store, executable: one suite per verb, run on every store.
//
// A store takes part with a file of ten lines, as it does with that of the bus:
//
//   class MyFixture final : public penstock::contract::QueueFixture { … };
//   penstock::contract::QueueUnderTest my_queue() { return {.name = "mystore", .make = …}; }
//   PENSTOCK_INSTANTIATE_QUEUE_CONTRACT(MyStore, my_queue());
//   PENSTOCK_INSTANTIATE_DURABLE_QUEUE_CONTRACT(MyStore, my_queue());  // survives its process
//
// The program links penstock_queue_contract. See tests/store/memory/queue/contract_test.cpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.hpp"
#include "penstock/queue_store.hpp"
#include "penstock/store.hpp"

namespace penstock::contract {

/// One store on data of its own, set up and empty; the data goes with the fixture.
class QueueFixture {
 public:
  virtual ~QueueFixture() = default;
  [[nodiscard]] virtual Store& store() = 0;
  /// Closes the store and opens it again on the same data. A store whose `Capabilities::durable`
  /// is false does nothing.
  virtual void reopen() = 0;
  /// Called after the clock of the test was moved, for a store that has to be told.
  virtual void clock_moved() {}
};

struct QueueUnderTest {
  std::string name;
  /// `clock` judges due times; it is the clock that the tests move.
  std::function<std::unique_ptr<QueueFixture>(std::shared_ptr<const Clock>, const StoreSetup&)>
      make;
};

void PrintTo(const QueueUnderTest& store, std::ostream* out);

/// A claim of jobs in words: what is not said is ordinary.
struct JobWish {
  std::string worker = "worker-a";
  std::vector<std::string> queues = {"q"};
  std::size_t limit = 100;
  SuspectPolicy suspects = SuspectPolicy::leave;
  std::size_t room = 1'000;  ///< Of each queue.
};

inline constexpr Duration kLease = 30s;

/// A store on a clock and a stopwatch that stand still, and verbs short enough to read a test by.
///
/// Each name of a worker has a source of its own, as each process has.
class QueueContract : public ::testing::TestWithParam<QueueUnderTest> {
 protected:
  void SetUp() override { start({}); }

  /// Begins again on a fresh store.
  void start(const StoreSetup& setup);
  /// Ends all workers and the maintenance without a word, and opens the store again.
  void reopen();

  [[nodiscard]] QueueStore& queue() { return fixture_->store().queue(); }
  [[nodiscard]] BusStore& bus() { return fixture_->store().bus(); }
  [[nodiscard]] Timestamp now() const { return clock_->now(); }
  /// Moves the clock by which due times are judged; nobody dies of it.
  void advance(Duration by);

  /// Enqueues one job, which must be new.
  JobId enqueue(NewJob job);
  [[nodiscard]] Enqueued try_enqueue(NewJob job);
  Enqueued enqueue_in(const Transaction& transaction, NewJob job);
  /// Enqueues `count` jobs like `like` in one call; their payloads are their numbers.
  std::vector<JobId> enqueue_batch(int count, NewJob like = {.queue = "q", .kind = "k"});
  /// The same, one call each.
  std::vector<JobId> enqueue_each(int count, NewJob like = {.queue = "q", .kind = "k"});

  /// The source of a worker, made at the first use; `options` count then.
  [[nodiscard]] JobSource& source(const std::string& worker, const JobSourceOptions& options = {});
  /// One claim.
  [[nodiscard]] Claimed claim(const JobWish& wish = {});
  [[nodiscard]] std::vector<Work> take(const JobWish& wish = {}) { return claim(wish).work; }
  /// Claims and expects exactly one job.
  [[nodiscard]] Work take_one(JobWish wish = {});
  /// Claims until nothing is left to be had.
  [[nodiscard]] std::vector<Work> take_all(const JobWish& wish = {});
  /// Claims and completes until nothing is left, suspects too; answers in the order of claims.
  std::vector<JobId> drain(JobWish wish = {});

  // The ends of an attempt, said to the source that it was claimed from.
  [[nodiscard]] Verdict complete(const Token& token);
  [[nodiscard]] Verdict retry(const Token& token, Duration delay = 1s, std::string error = "no");
  [[nodiscard]] Verdict snooze(const Token& token, Duration delay = 1s);
  [[nodiscard]] Verdict bury(const Token& token, std::string reason = "buried");
  [[nodiscard]] Verdict release(const Token& token);
  [[nodiscard]] Verdict extend(const Token& token);
  [[nodiscard]] Verdict save_progress(const Token& token, std::string_view json);
  /// A sign of life of a worker.
  void beat(const std::string& worker);

  // An operator's actions.
  [[nodiscard]] Verdict cancel(JobId id) { return queue().cancel({&id, 1}).at(0); }
  [[nodiscard]] Verdict bury_job(JobId id, std::string_view reason = "operator") {
    return queue().bury({&id, 1}, reason).at(0);
  }
  [[nodiscard]] Verdict move(JobId id, const Destination& to) {
    return queue().move({&id, 1}, to).at(0);
  }
  std::vector<JobId> requeue_all() { return queue().requeue({.all = true}, 10'000); }
  /// Claims a job and buries it.
  JobId enqueue_dead(NewJob job = {.queue = "q", .kind = "k"});

  /// Does everything that maintenance has to do now.
  Maintained maintain();
  /// A maintenance of its own, on the stopwatch of the test.
  [[nodiscard]] std::unique_ptr<QueueMaintenance> maintenance(MaintenanceOptions options = {});
  /// Moves the stopwatch alone; nobody looks meanwhile.
  void move_stopwatch(Duration by) { stopwatch_ += by; }
  /// Clock and stopwatch move in small steps; `living` show signs of life, and maintenance looks at
  /// every step. Adds up what it did.
  Maintained pass(Duration by, const std::vector<std::string>& living = {});
  /// Claims for a worker that then dies and is rescued.
  std::vector<Work> crash(const JobWish& wish = {});

  [[nodiscard]] std::optional<JobInfo> show(JobId id) { return queue().show(id); }
  /// A job that must be there.
  [[nodiscard]] JobInfo info(JobId id);
  /// What is stored of a job that must be there.
  [[nodiscard]] StoredJob stored(JobId id);
  [[nodiscard]] std::optional<JobState> state_of(JobId id);
  [[nodiscard]] std::vector<JobInfo> find(JobQuery query);
  [[nodiscard]] std::vector<JobInfo> list(JobState state) { return find({.state = state}); }
  [[nodiscard]] LaneCounts lane(int shard = 0, int priority = 2, std::string_view queue = "q");
  [[nodiscard]] std::vector<LaneCounts> lanes(std::string_view queue = "q");
  [[nodiscard]] AsideCounts aside(int priority = 2, std::string_view queue = "q");
  [[nodiscard]] bool is_alive(std::string_view worker);

 private:
  [[nodiscard]] JobSource& source_of(const Token& token);
  void forget_workers();

  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<QueueFixture> fixture_;
  std::mutex mutex_;  ///< Of the two maps; threads of a test claim at once.
  std::map<std::string, std::unique_ptr<JobSource>> sources_;
  std::map<std::array<std::int64_t, 3>, std::string> claimed_by_;
  std::chrono::steady_clock::time_point stopwatch_{};
  std::unique_ptr<QueueMaintenance> maintenance_;
};

[[nodiscard]] NewJob job(std::string payload = "{}");
[[nodiscard]] NewJob keyed_job(std::string key, std::string payload = "{}");
[[nodiscard]] NewJob unique_job(std::string key, JobStates states = kWhileAlive);
[[nodiscard]] std::vector<JobId> jobs_of(const std::vector<Work>& work);
[[nodiscard]] std::vector<JobId> jobs_of(const std::vector<JobInfo>& items);
[[nodiscard]] std::vector<JobId> jobs_of(const std::vector<Enqueued>& enqueued);
[[nodiscard]] std::vector<std::string> payloads_of(const std::vector<Work>& work);
/// The n-th key that is routed to `shard` of `width`.
[[nodiscard]] std::string key_of_shard(int shard, int width, int n = 0);
/// JSON without the spaces that a store may have added.
[[nodiscard]] std::string squeezed(std::string json);
/// Runs `body(i)` on `count` threads that begin together.
void at_once(int count, const std::function<void(int)>& body);

// One suite for each verb.
// clang-format off: it makes stairs of this list.
#define PENSTOCK_QUEUE_CONTRACT_SUITES(apply, ...) \
  apply(QueueSetupContract, __VA_ARGS__) \
  apply(QueueEnqueueContract, __VA_ARGS__) \
  apply(QueueLimitContract, __VA_ARGS__) \
  apply(QueueUniqueContract, __VA_ARGS__) \
  apply(QueueScheduleContract, __VA_ARGS__) \
  apply(QueueClaimContract, __VA_ARGS__) \
  apply(QueuePriorityContract, __VA_ARGS__) \
  apply(QueueShardContract, __VA_ARGS__) \
  apply(QueueCompleteContract, __VA_ARGS__) \
  apply(QueueRescheduleContract, __VA_ARGS__) \
  apply(QueueBuryContract, __VA_ARGS__) \
  apply(QueueReleaseContract, __VA_ARGS__) \
  apply(QueueProgressContract, __VA_ARGS__) \
  apply(QueueRescueContract, __VA_ARGS__) \
  apply(QueueSuspectContract, __VA_ARGS__) \
  apply(QueueHeartbeatContract, __VA_ARGS__) \
  apply(QueueInheritContract, __VA_ARGS__) \
  apply(QueueCancelContract, __VA_ARGS__) \
  apply(QueueOperatorBuryContract, __VA_ARGS__) \
  apply(QueueMoveContract, __VA_ARGS__) \
  apply(QueueRequeueContract, __VA_ARGS__) \
  apply(QueuePurgeContract, __VA_ARGS__) \
  apply(QueueListContract, __VA_ARGS__) \
  apply(QueueStatisticsContract, __VA_ARGS__) \
  apply(QueueTransactionContract, __VA_ARGS__) \
  apply(QueueHistoryContract, __VA_ARGS__) \
  apply(QueueMaintenanceContract, __VA_ARGS__) \
  apply(QueueWakeupContract, __VA_ARGS__) \
  apply(QueueConcurrencyContract, __VA_ARGS__) \
  apply(QueueTimelineContract, __VA_ARGS__)
// clang-format on

#define PENSTOCK_DECLARE_QUEUE_SUITE(suite, ...) \
  class suite : public QueueContract {};
PENSTOCK_QUEUE_CONTRACT_SUITES(PENSTOCK_DECLARE_QUEUE_SUITE, )
#undef PENSTOCK_DECLARE_QUEUE_SUITE

/// What only stores that survive their process promise.
class QueueDurableContract : public QueueContract {};

}  // namespace penstock::contract

/// Runs every suite on `store`, a QueueUnderTest. A durable store says so with the second macro.
#define PENSTOCK_INSTANTIATE_QUEUE_CONTRACT(prefix, store)                  \
  namespace penstock::contract {                                            \
  PENSTOCK_QUEUE_CONTRACT_SUITES(PENSTOCK_INSTANTIATE_SUITE, prefix, store) \
  }                                                                         \
  static_assert(true, "takes the semicolon")

#define PENSTOCK_INSTANTIATE_DURABLE_QUEUE_CONTRACT(prefix, store) \
  namespace penstock::contract {                                   \
  PENSTOCK_INSTANTIATE_SUITE(QueueDurableContract, prefix, store)  \
  }                                                                \
  static_assert(true, "takes the semicolon")
