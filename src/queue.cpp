// The queue: wiring between a store, the handlers of this process, and a dispatcher for them.
#include "penstock/queue.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "base/say.hpp"
#include "dispatcher_impl.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"

namespace penstock {
namespace {

constexpr Duration kForever = std::chrono::years{10};
constexpr double kHighestRate = 1e9;
constexpr std::chrono::minutes kSayAgainAfter{1};

/// Keeps a job for as long as its Completion may be finished.
class JobEnd final : public Completion::Sink {
 public:
  explicit JobEnd(Completion completion) : completion_(std::move(completion)) {}
  void keep(std::shared_ptr<const Job> job) { job_ = std::move(job); }
  void finish(Outcome outcome) noexcept override { completion_.finish(std::move(outcome)); }

 private:
  const Completion completion_;
  std::shared_ptr<const Job> job_;
};

/// Puts jobs back whose kind nobody told this process, and says so, but not for each.
class UnknownKinds {
 public:
  UnknownKinds(Log log, Duration delay) : log_(std::move(log)), delay_(delay) {}

  Outcome put_back(const StoredJob& job) {
    if (is_time_to_say(job.job.queue, job.job.kind)) {
      base::say(log_, LogLevel::warning, "kind unknown to this process",
                {{"queue", job.job.queue},
                 {"kind", job.job.kind},
                 {"job", std::to_string(job.id.value)},
                 {"message",
                  "its jobs wait; start a worker that knows it, or move, cancel or bury them"}});
    }
    return snooze(delay_);
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  bool is_time_to_say(const std::string& queue, const std::string& kind) {
    const Time now = std::chrono::steady_clock::now();
    base::MutexLock lock(mutex_);
    const auto [said, is_first] = said_at_.try_emplace({queue, kind}, now);
    if (!is_first && now - said->second < kSayAgainAfter) return false;
    said->second = now;
    return true;
  }

  const Log log_;
  const Duration delay_;
  base::Mutex mutex_;
  std::map<std::pair<std::string, std::string>, Time> said_at_ PENSTOCK_GUARDED_BY(mutex_);
};

Duration checked_deadline(std::optional<Duration> deadline) {
  if (deadline && *deadline < Duration::zero()) {
    work::refuse("deadline", "deadline must not be negative; 0 means none");
  }
  return std::min(deadline.value_or(Duration::zero()), kForever);
}

DispatcherOptions without_queue(const QueueDispatcherOptions& options) {
  return {.name = options.name,
          .lease = options.lease,
          .grace = options.grace,
          .abort_wait = options.abort_wait,
          .retention = options.retention,
          .purge_every = Duration::zero(),  // The duties purge.
          .concurrency = options.concurrency,
          .batch = options.batch,
          .poll = options.poll,
          .completion_window = options.completion_window,
          .max_unrecorded = options.max_unrecorded,
          .log = options.log};
}

}  // namespace

class Queue::Impl {
 public:
  Impl(QueueStore& store, QueueOptions options) : store_(store), options_(options) {}

  QueueStore& store() { return store_; }

  /// Sets the store up once; a failure is tried again by the next call.
  QueueStore& ready_store() {
    base::MutexLock lock(setup_mutex_);
    if (!is_set_up_) {
      store_.setup(options_.setup_store ? SetupMode::migrate : SetupMode::check);
      is_set_up_ = true;
    }
    return store_;
  }

  void work(std::string_view queue, std::string_view kind, JobHandler handler,
            JobHandlerOptions options) {
    work::check_queue_name(queue);
    work::check_text("kind", kind, limits::kKindBytes);
    if (options.deadline) options.deadline = checked_deadline(options.deadline);
    if (!options.retry_delay) work::refuse("retry_delay", "retry_delay must be a function");
    base::MutexLock lock(mutex_);
    queues_[std::string(queue)].kinds.insert_or_assign(
        std::string(kind), Registered{std::move(handler), std::move(options)});
  }

  void limit(std::string_view queue, QueueLimits limits) {
    work::check_queue_name(queue);
    if (limits.concurrency == 0) work::refuse("concurrency", "concurrency must be at least 1");
    limits.deadline = checked_deadline(limits.deadline);
    for (const auto& [field, value] : {std::pair{"rate", limits.rate}, {"burst", limits.burst}}) {
      if (std::isfinite(value) && value >= 0 && value <= kHighestRate) continue;
      work::refuse(field, std::string(field) + " must be from 0 to 1,000,000,000");
    }
    base::MutexLock lock(mutex_);
    queues_[std::string(queue)].limits = limits;
  }

  Dispatcher start(const QueueDispatcherOptions& options) {
    if (options.ageing < Duration::zero()) work::refuse("ageing", "ageing must not be negative");
    if (options.segment < std::chrono::seconds{1}) {
      work::refuse("segment", "segment must be at least a second");
    }
    ready_store();
    const std::shared_ptr<JobSource> source =
        store_.source({.ageing = options.ageing, .log = options.log});
    DispatcherParts parts{.source = *source};
    parts.routes = routes(source, options);
    parts.listen = [this] { return store_.listen(); };
    parts.lease_of = claim::Keeper::LeaseOf::process;
    if (options.maintain) parts.duties = duties(options);
    parts.owned = source;
    return Dispatcher{std::make_unique<Dispatcher::Impl>(std::move(parts), without_queue(options))};
  }

 private:
  struct Registered {
    JobHandler handler;
    JobHandlerOptions options;
  };
  struct Known {
    std::map<std::string, Registered, std::less<>> kinds{};
    QueueLimits limits{};
  };
  using Routes = std::vector<std::unique_ptr<dispatch::Route>>;

  Routes routes(const std::shared_ptr<JobSource>& source, const QueueDispatcherOptions& options) {
    const auto unknown = std::make_shared<UnknownKinds>(
        options.log, std::clamp(options.unknown_kind_delay, Duration{0}, kForever));
    Routes routes;
    base::MutexLock lock(mutex_);
    for (const auto& [name, known] : queues_) {
      if (known.kinds.empty()) continue;
      routes.push_back(std::make_unique<dispatch::Route>(
          dispatch::Route{.name = name,
                          .service = {.handler = Handler([unknown](const Delivery& delivery) {
                                        return unknown->put_back(*delivery.work_.job);
                                      })},
                          .concurrency = known.limits.concurrency}));
      add_kinds(*routes.back(), known, source);
      if (const double rate = known.limits.rate; rate > 0) {
        const double burst = known.limits.burst > 0 ? known.limits.burst : rate;
        routes.back()->rate.emplace(rate, burst, std::chrono::steady_clock::now());
      }
    }
    if (routes.empty()) {
      work::refuse("handlers", "a dispatcher needs at least one handler: call work first");
    }
    return routes;
  }

  static void add_kinds(dispatch::Route& route, const Known& known,
                        const std::shared_ptr<JobSource>& source) {
    for (const auto& [kind, registered] : known.kinds) {
      const Duration deadline = registered.options.deadline.value_or(known.limits.deadline);
      route.kinds.emplace(
          kind, dispatch::Service{.handler = as_handler(registered.handler, source),
                                  .options = {.timeout = deadline,
                                              .retry_delay = registered.options.retry_delay}});
    }
  }

  static Job job_of(const Delivery& delivery, const std::shared_ptr<JobSource>& source) {
    return Job(delivery.work_, delivery.stop_, delivery.stop_reason_,
               [source](const Token& token, std::string_view json) {
                 return source->save_progress(token, json);
               });
  }

  /// The runtime calls handlers of deliveries: one that makes a job of what it gets.
  static Handler as_handler(const JobHandler& handler, const std::shared_ptr<JobSource>& source) {
    if (const auto* plain = std::get_if<JobHandler::Plain>(&handler.function())) {
      return Handler([function = *plain, source](const Delivery& delivery) -> Outcome {
        return function(job_of(delivery, source));
      });
    }
    return Handler([function = std::get<JobHandler::Deferred>(handler.function()), source](
                       const Delivery& delivery, Completion completion) {
      const auto job = std::make_shared<const Job>(job_of(delivery, source));
      const auto end = std::make_shared<JobEnd>(std::move(completion));
      end->keep(job);
      function(*job, Completion{end});
    });
  }

  std::unique_ptr<maintain::Duties> duties(const QueueDispatcherOptions& options) {
    auto maintenance = store_.maintenance({.worker = WorkerId::incarnation_of(options.name),
                                           .lease = options.lease,
                                           .retention = options.retention,
                                           .segment = options.segment,
                                           .log = options.log});
    return std::make_unique<maintain::Duties>(std::move(maintenance), options.log);
  }

  QueueStore& store_;
  const QueueOptions options_;
  base::Mutex setup_mutex_;
  bool is_set_up_ PENSTOCK_GUARDED_BY(setup_mutex_) = false;
  base::Mutex mutex_;
  std::map<std::string, Known, std::less<>> queues_ PENSTOCK_GUARDED_BY(mutex_);
};

Queue::Queue(QueueStore& store, QueueOptions options)
    : impl_(std::make_unique<Impl>(store, options)) {}
Queue::~Queue() = default;

void Queue::setup() { impl_->ready_store(); }

Enqueued Queue::enqueue(NewJob job) { return enqueue({&job, 1}).front(); }

std::vector<Enqueued> Queue::enqueue(std::span<const NewJob> jobs) {
  return impl_->ready_store().enqueue(jobs, nullptr);
}

Enqueued Queue::enqueue(const Transaction& transaction, NewJob job) {
  return enqueue(transaction, {&job, 1}).front();
}

std::vector<Enqueued> Queue::enqueue(const Transaction& transaction, std::span<const NewJob> jobs) {
  return impl_->store().enqueue(jobs, &transaction);
}

void Queue::work(std::string_view queue, std::string_view kind, JobHandler handler,
                 JobHandlerOptions options) {
  impl_->work(queue, kind, std::move(handler), std::move(options));
}

void Queue::limit(std::string_view queue, QueueLimits limits) { impl_->limit(queue, limits); }

void Queue::pause(std::string_view queue) { impl_->ready_store().set_paused(queue, true); }
void Queue::resume(std::string_view queue) { impl_->ready_store().set_paused(queue, false); }
void Queue::set_shards(std::string_view queue, int shards) {
  impl_->ready_store().set_shards(queue, shards);
}
Verdict Queue::cancel(JobId id) { return impl_->ready_store().cancel({&id, 1}).front(); }
std::optional<JobInfo> Queue::show(JobId id) { return impl_->ready_store().show(id); }
QueueStatistics Queue::statistics(Counting counting) {
  return impl_->ready_store().statistics(counting);
}

Dispatcher Queue::start(QueueDispatcherOptions options) { return impl_->start(options); }

}  // namespace penstock
