// The queue: enqueue jobs, register handlers by queue and kind, start a dispatcher for them.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "penstock/dispatcher.hpp"
#include "penstock/handler.hpp"
#include "penstock/job.hpp"
#include "penstock/queue_store.hpp"
#include "penstock/store.hpp"

namespace penstock {

/// One attempt at one job, as the handler sees it.
///
/// Lives as long as the attempt. Threads: thread-safe.
class Job {
 public:
  using SaveProgress = std::function<Verdict(const Token&, std::string_view)>;

  /// Public so that users' unit tests can call their handlers.
  explicit Job(const Work& work, std::stop_token stop = {},
               std::shared_ptr<const std::atomic<StopReason>> stop_reason = nullptr,
               SaveProgress save_progress = {})
      : work_(work),
        stop_(std::move(stop)),
        stop_reason_(std::move(stop_reason)),
        save_progress_(std::move(save_progress)) {}

  [[nodiscard]] JobId id() const noexcept { return work_.job->id; }
  [[nodiscard]] const std::string& queue() const noexcept { return work_.job->job.queue; }
  [[nodiscard]] const std::string& kind() const noexcept { return work_.job->job.kind; }
  [[nodiscard]] const std::string& payload() const noexcept { return work_.job->job.payload; }
  [[nodiscard]] const std::string& content_type() const noexcept {
    return work_.job->job.content_type;
  }
  [[nodiscard]] const Headers& headers() const noexcept { return work_.job->job.headers; }
  [[nodiscard]] int priority() const noexcept { return work_.job->job.priority; }
  [[nodiscard]] const std::optional<std::string>& key() const noexcept {
    return work_.job->job.key;
  }
  [[nodiscard]] const std::optional<std::string>& unique_key() const noexcept {
    return work_.job->job.unique_key;
  }
  /// 1 for the first.
  [[nodiscard]] int attempt() const noexcept { return work_.attempts + 1; }
  [[nodiscard]] int max_attempts() const noexcept { return work_.job->job.max_attempts; }
  [[nodiscard]] Timestamp created_at() const noexcept { return work_.job->created_at; }
  /// When it became due.
  [[nodiscard]] Timestamp run_at() const { return work_.job->job.run_at.value(); }
  /// How earlier attempts failed: the last 20, oldest first.
  [[nodiscard]] const std::vector<AttemptError>& errors() const noexcept {
    return work_.job->errors;
  }
  /// What an earlier attempt saved, as JSON; empty: nothing.
  [[nodiscard]] const std::string& progress() const noexcept { return work_.job->progress; }
  /// Keeps `json` for the next attempt, however this one ends; a call to the store each. `lost`:
  /// the job is no longer this attempt's.
  ///
  /// Throws: as JobSource::save_progress.
  [[nodiscard]] Verdict save_progress(std::string_view json) const {
    return save_progress_ ? save_progress_(work_.token, json) : Verdict::done;
  }
  /// Requested at the deadline, when the job was cancelled or its lease lost, and at the end of the
  /// grace period of a shutdown.
  [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }
  [[nodiscard]] StopReason stop_reason() const noexcept {
    return stop_reason_ ? stop_reason_->load(std::memory_order_acquire) : StopReason::none;
  }

 private:
  const Work& work_;
  std::stop_token stop_;
  std::shared_ptr<const std::atomic<StopReason>> stop_reason_;
  SaveProgress save_progress_;
};

/// Any of: `void(const Job&)`, `Outcome(const Job&)`; with a `Completion` as second argument
/// (finishes later). It is called from several threads at once.
class JobHandler {
 public:
  using Plain = std::function<Outcome(const Job&)>;
  /// The job is valid until the Completion is finished.
  using Deferred = std::function<void(const Job&, Completion)>;
  using Function = std::variant<Plain, Deferred>;

  template <typename Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, JobHandler> &&
             (std::invocable<Callable&, const Job&> ||
              std::invocable<Callable&, const Job&, Completion>))
  JobHandler(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda is a handler.
      : function_(wrap(std::forward<Callable>(callable))) {}

  [[nodiscard]] const Function& function() const noexcept { return function_; }

 private:
  template <typename Callable>
  static Function wrap(Callable&& callable) {
    using C = std::remove_cvref_t<Callable>&;
    if constexpr (std::invocable<C, const Job&>) {
      using Result = std::invoke_result_t<C, const Job&>;
      return Plain{
          [callable = std::forward<Callable>(callable)](const Job& job) mutable -> Outcome {
            if constexpr (std::is_void_v<Result>) {
              callable(job);
              return penstock::done();
            } else {
              static_assert(std::convertible_to<Result, Outcome>,
                            "a handler returns nothing or an Outcome");
              return callable(job);
            }
          }};
    } else {
      return Deferred{std::forward<Callable>(callable)};
    }
  }

  Function function_;
};

struct JobHandlerOptions {
  /// Where the job names none; absent: that of the queue's limits. 0: none.
  std::optional<Duration> deadline{};
  RetryDelay retry_delay = default_retry_delay;
};

/// What this process may do of one queue.
struct QueueLimits {
  std::size_t concurrency = 50;  ///< Attempts at the same time.
  /// Where neither the job nor the handler names one. 0: none.
  Duration deadline = std::chrono::minutes{5};
  /// Attempts begun per second, by this process alone: n processes begin n times as many. 0: no
  /// limit.
  double rate = 0;
  /// How many may begin at once after a pause; 0: a second's worth.
  double burst = 0;
};

struct QueueOptions {
  /// As BusOptions::setup_store.
  bool setup_store = true;
};

struct QueueDispatcherOptions {
  // What changes behaviour.
  std::string name = "worker";
  Duration lease = std::chrono::seconds{30};  ///< A heartbeat at a third of it.
  Duration grace = std::chrono::seconds{30};
  Duration abort_wait = std::chrono::milliseconds{200};
  /// A job gains one step of priority for each of these that it has waited; 0: none.
  Duration ageing = std::chrono::seconds{60};
  /// Jobs of a kind that this process does not know are put back for this long.
  Duration unknown_kind_delay = std::chrono::seconds{10};
  Retention retention{};
  /// Whether this process takes part in promoting, rescuing and cleaning up. One has to.
  bool maintain = true;
  Duration segment = std::chrono::seconds{10};  ///< See MaintenanceOptions.

  // What changes speed.
  std::size_t concurrency = 50;  ///< Handler threads, for all queues together.
  std::size_t batch = 512;
  Duration poll = std::chrono::milliseconds{200};
  Duration completion_window = std::chrono::milliseconds{1};
  std::size_t max_unrecorded = 1'000;

  Log log{};
};

/// The front door of the job queue.
///
/// Lives no longer than its store. Threads: thread-safe.
class Queue {
 public:
  explicit Queue(Store& store, QueueOptions options = {}) : Queue(store.queue(), options) {}
  explicit Queue(QueueStore& store, QueueOptions options = {});
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// As Bus::setup.
  void setup();

  /// Stores one job. Durable when it returns.
  ///
  /// Throws: as QueueStore::enqueue.
  Enqueued enqueue(NewJob job);
  /// Stores all or none.
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs);
  /// In the caller's transaction: exists when, and only if, that commits. Needs tables: see
  /// `setup`.
  Enqueued enqueue(const Transaction& transaction, NewJob job);
  std::vector<Enqueued> enqueue(const Transaction& transaction, std::span<const NewJob> jobs);

  /// Registers `handler` for jobs of `kind` in `queue`, in this process.
  ///
  /// Call it before `start`. A second call with the same names replaces the first. Jobs whose kind
  /// this process does not know wait for one that does, with a warning in the log.
  /// Throws: usage.
  void work(std::string_view queue, std::string_view kind, JobHandler handler,
            JobHandlerOptions options = {});
  /// Sets what this process may do of `queue`, before `start`. Throws: usage.
  void limit(std::string_view queue, QueueLimits limits);

  /// As QueueStore's, for all processes.
  void pause(std::string_view queue);
  void resume(std::string_view queue);
  void set_shards(std::string_view queue, int shards);
  /// Before or during a run, also from a handler. `lost`: it had ended.
  Verdict cancel(JobId id);
  [[nodiscard]] std::optional<JobInfo> show(JobId id);
  [[nodiscard]] QueueStatistics statistics(Counting counting = Counting::exact);

  /// Starts threads that run the handlers registered so far. The queue must outlive the result.
  ///
  /// Throws: usage (no handlers, options out of range), unavailable, schema.
  [[nodiscard]] Dispatcher start(QueueDispatcherOptions options = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
