// The handler: what a user writes to have a delivery done, and how one attempt can end.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "penstock/transaction.hpp"
#include "penstock/work_source.hpp"

namespace penstock {

/// Why an attempt was asked to stop.
enum class StopReason { none, shutdown, lease_lost, timeout };

/// One attempt at one (event, handler), as the handler sees it.
///
/// Lives as long as the attempt. Threads: immutable.
class Delivery {
 public:
  /// Public so that users' unit tests can call their handlers.
  explicit Delivery(const Work& work, std::stop_token stop = {},
                    std::shared_ptr<const std::atomic<StopReason>> stop_reason = nullptr)
      : work_(work), stop_(std::move(stop)), stop_reason_(std::move(stop_reason)) {}

  [[nodiscard]] DeliveryId id() const noexcept { return DeliveryId{work_.token.work_id}; }
  [[nodiscard]] const std::string& handler() const noexcept { return work_.handler; }
  [[nodiscard]] const Event& event() const noexcept { return *work_.event; }
  [[nodiscard]] EventId event_id() const { return work_.event->id.value(); }
  /// 1 for the first.
  [[nodiscard]] int attempt() const noexcept { return work_.attempts + 1; }
  /// Position within the ordering key; absent without a key.
  [[nodiscard]] std::optional<std::int64_t> sequence() const noexcept { return work_.sequence; }
  [[nodiscard]] Timestamp published_at() const noexcept { return work_.published_at; }
  /// Requested at the end of the grace period of a shutdown, when the lease is lost, and at the
  /// handler's timeout. A handler that can, returns early (by throwing, or any way it likes).
  [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }
  [[nodiscard]] StopReason stop_reason() const noexcept {
    return stop_reason_ ? stop_reason_->load(std::memory_order_acquire) : StopReason::none;
  }

 private:
  friend class Queue;  // Its handlers see the same attempt as a Job.
  const Work& work_;
  std::stop_token stop_;
  std::shared_ptr<const std::atomic<StopReason>>
      stop_reason_;  // Shared with the attempt's control.
};

/// How an attempt ended, in the handler's own words. Returned, or thrown from deeper code.
class Outcome {
 public:
  struct Done {};
  struct Retry {
    std::string error{};
    std::optional<Duration> after{};  ///< Absent: the handler's retry delay.
  };
  struct Snooze {
    Duration after{};
  };
  struct Bury {
    std::string reason{};
  };
  using Value = std::variant<Done, Retry, Snooze, Bury>;

  Outcome(Value value)
      : value_(std::move(value)) {
  }  // NOLINT(google-explicit-constructor): a value in another form.
  [[nodiscard]] const Value& value() const noexcept { return value_; }

 private:
  Value value_;
};

/// Completed.
[[nodiscard]] inline Outcome done() { return Outcome{Outcome::Done{}}; }
/// Failed; to be tried again, as if an exception had been thrown.
[[nodiscard]] inline Outcome retry(std::string error, std::optional<Duration> after = {}) {
  return Outcome{Outcome::Retry{std::move(error), after}};
}
/// Not now: tried again after `after`, without spending an attempt.
[[nodiscard]] inline Outcome snooze(Duration after) { return Outcome{Outcome::Snooze{after}}; }
/// Never: to the dead letters at once.
[[nodiscard]] inline Outcome bury(std::string reason) {
  return Outcome{Outcome::Bury{std::move(reason)}};
}

/// Ends an attempt later, from any thread: call one function, once. Further calls do nothing.
///
/// Copies end the same attempt. When the last one is destroyed unused the attempt counts as failed.
/// Threads: thread-safe.
class Completion {
 public:
  /// Implemented by the dispatcher; public so that users' unit tests can implement it.
  class Sink {
   public:
    virtual ~Sink() = default;
    /// Only the first call counts.
    virtual void finish(Outcome outcome) noexcept = 0;
  };
  /// `sink` is shared by the copies; its destruction without `finish` is the dropped attempt.
  explicit Completion(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  void finish(Outcome outcome) const noexcept { sink_->finish(std::move(outcome)); }
  void done() const noexcept { finish(penstock::done()); }
  void fail(std::string error) const noexcept { finish(penstock::retry(std::move(error))); }

 private:
  std::shared_ptr<Sink> sink_;
};

/// Any of: `void(const Delivery&)`, `Outcome(const Delivery&)`; with a `Completion` as second
/// argument (finishes later); with a `Transaction&` as second argument (its writes and the
/// completion commit together; it must neither commit nor roll back). On SQLite the transaction
/// holds the file's only write lock, so that no lease can be extended and nothing else be written
/// meanwhile: such a handler has to take less than half of the dispatcher's lease, and the
/// program's own writes need a busy timeout of many times what it takes.
///
/// It is called from several threads at once, up to `HandlerOptions::concurrency`.
class Handler {
 public:
  using Plain = std::function<Outcome(const Delivery&)>;
  /// The delivery is valid until the Completion is finished.
  using Deferred = std::function<void(const Delivery&, Completion)>;
  using Transactional = std::function<Outcome(const Delivery&, Transaction&)>;
  using Function = std::variant<Plain, Deferred, Transactional>;

  template <typename Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, Handler> &&
             (std::invocable<Callable&, const Delivery&> ||
              std::invocable<Callable&, const Delivery&, Completion> ||
              std::invocable<Callable&, const Delivery&, Transaction&>))
  Handler(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda is a handler.
      : function_(wrap(std::forward<Callable>(callable))) {}

  [[nodiscard]] const Function& function() const noexcept { return function_; }

 private:
  template <typename Callable>
  static Function wrap(Callable&& callable) {
    using C = std::remove_cvref_t<Callable>&;
    if constexpr (std::invocable<C, const Delivery&>) {
      return Plain{returning_outcome<const Delivery&>(std::forward<Callable>(callable))};
    } else if constexpr (std::invocable<C, const Delivery&, Transaction&>) {
      return Transactional{
          returning_outcome<const Delivery&, Transaction&>(std::forward<Callable>(callable))};
    } else {
      return Deferred{std::forward<Callable>(callable)};
    }
  }
  template <typename... Arguments, typename Callable>
  static auto returning_outcome(Callable&& callable) {
    return
        [callable = std::forward<Callable>(callable)](Arguments... arguments) mutable -> Outcome {
          using Result = std::invoke_result_t<decltype(callable)&, Arguments...>;
          if constexpr (std::is_void_v<Result>) {
            callable(arguments...);
            return penstock::done();
          } else {
            static_assert(std::convertible_to<Result, Outcome>,
                          "a handler returns nothing or an Outcome");
            return callable(arguments...);
          }
        };
  }

  Function function_;
};

/// Delay before attempt `attempts_spent + 1`, from a random number in [0, 1).
using RetryDelay = std::function<Duration(int attempts_spent, double random)>;

/// 2^attempts s plus 0 to 25 %, at most 24 h.
[[nodiscard]] Duration default_retry_delay(int attempts_spent, double random) noexcept;

struct HandlerOptions {
  /// Attempts at the same time in this process; 0: as many as the dispatcher runs.
  std::size_t concurrency = 0;
  /// After this the attempt is asked to stop; a deferred one then counts as failed. 0: none.
  Duration timeout{0};
  /// Attempts before the dead letters.
  int max_attempts = 25;
  RetryDelay retry_delay = default_retry_delay;
};

}  // namespace penstock
