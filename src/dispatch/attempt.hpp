// One attempt at a piece of work in this process: from the claim until its end is recorded.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/token_bucket.hpp"
#include "penstock/handler.hpp"
#include "penstock/job.hpp"

namespace penstock::dispatch {

using SteadyTime = std::chrono::steady_clock::time_point;

/// What is called for an attempt, and how it is treated. Of `options` a job takes its own
/// max_attempts and, where it has one, its own deadline instead of the timeout.
struct Service {
  Handler handler;
  HandlerOptions options{};
};

/// A handler of this process, or a queue. Fixed after construction, except where noted.
struct Route {
  std::string name{};
  /// Of a queue: what is called for kinds that it does not know.
  Service service;
  std::size_t concurrency = 0;                          ///< 0: as many as the dispatcher runs.
  std::map<std::string, Service, std::less<>> kinds{};  ///< Of a queue.
  std::optional<TokenBucket> rate{};                    ///< Guarded by the mutex of the Board.
  // Guarded by the mutex of the Board.
  std::size_t unfinished = 0;
  bool was_full = false;  ///< The last claim had less room for it than its concurrency.
  Duration pace{0};       ///< Usual length of an attempt; zero: unknown.

  [[nodiscard]] const Service& service_for(const Work& work) const {
    if (!work.job) return service;
    const auto found = kinds.find(work.job->job.kind);
    return found == kinds.end() ? service : found->second;
  }
};

/// How an attempt ended, as the store shall hear of it.
struct End {
  enum class Kind {
    complete,
    reschedule,
    bury,
    release,
    committed,  ///< Completed within a transaction that is committed: nothing left to write.
    lost,       ///< The lease is gone: nothing may be written.
  };
  Kind kind = Kind::complete;
  Duration delay{0};
  Charge charge = Charge::charge;
  std::string text{};
};

class Attempt {
 public:
  Attempt(Work claimed, Route& handled_by, SteadyTime lease_end)
      : work(std::move(claimed)),
        route(handled_by),
        service(handled_by.service_for(work)),
        lease_until_(lease_end) {}

  Work work;
  Route& route;
  const Service& service;

  [[nodiscard]] int max_attempts() const noexcept {
    return work.job ? work.job->job.max_attempts : service.options.max_attempts;
  }
  /// Zero: as long as it likes.
  [[nodiscard]] Duration timeout() const noexcept {
    return work.job ? work.job->job.deadline.value_or(service.options.timeout)
                    : service.options.timeout;
  }

  /// Asks the handler to stop; the first reason stays.
  void request_stop(StopReason reason) {
    StopReason none = StopReason::none;
    if (stop_reason_->compare_exchange_strong(none, reason, std::memory_order_acq_rel)) {
      stop_.request_stop();
    }
  }
  [[nodiscard]] StopReason stop_reason() const noexcept {
    return stop_reason_->load(std::memory_order_acquire);
  }

  /// The end of the lease as this process may rely on it: counted from before the call that took or
  /// extended it, so never later than the store's.
  [[nodiscard]] SteadyTime lease_until() const noexcept {
    return lease_until_.load(std::memory_order_acquire);
  }
  void extend_lease(SteadyTime until) noexcept {
    lease_until_.store(until, std::memory_order_release);
  }

  /// Called when the handler is about to be called.
  void begin(SteadyTime now) {
    began_ = now;
    delivery_.emplace(work, stop_.get_token(), stop_reason_);
    const Duration longest = std::min<Duration>(timeout(), std::chrono::years{10});
    if (longest > Duration::zero()) {
      times_out_at_.store(now + longest, std::memory_order_release);
    }
  }
  [[nodiscard]] const Delivery& delivery() const { return *delivery_; }
  [[nodiscard]] SteadyTime began() const noexcept { return began_; }
  /// When to ask it to stop; the far future until it begins or where there is no timeout.
  [[nodiscard]] SteadyTime times_out_at() const noexcept {
    return times_out_at_.load(std::memory_order_acquire);
  }
  void timed_out() noexcept { times_out_at_.store(SteadyTime::max(), std::memory_order_release); }

  /// True for the first caller: of a handler, its timeout and a shutdown only one ends an attempt.
  [[nodiscard]] bool claim_end() noexcept {
    return !ended_.exchange(true, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }

  // Guarded by the mutex of the Board.
  std::size_t slot = 0;  ///< Index among what is in hand.
  std::vector<std::shared_ptr<Attempt>>
      followers{};  ///< Rest of the run, while a deferred one runs.

 private:
  std::stop_source stop_;
  // Shared with the Delivery, which a handler of the user's may copy.
  std::shared_ptr<std::atomic<StopReason>> stop_reason_ =
      std::make_shared<std::atomic<StopReason>>(StopReason::none);
  std::optional<Delivery> delivery_;
  SteadyTime began_{};
  std::atomic<SteadyTime> lease_until_;
  std::atomic<SteadyTime> times_out_at_{SteadyTime::max()};
  std::atomic<bool> ended_{false};
};

/// Shared by the board, the thread that runs it, and the Completion of a deferred handler.
using AttemptPtr = std::shared_ptr<Attempt>;

/// Attempts of one (handler, key), to be run in sequence; a keyless one is a run of one.
using Run = std::vector<AttemptPtr>;

struct Ended {
  AttemptPtr attempt;
  End end;
  Duration ran{0};  ///< Zero: it never ran.
};

}  // namespace penstock::dispatch
