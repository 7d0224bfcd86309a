// The dispatcher: starts the threads, and stops them in the only order that loses nothing: stop
// claiming, drain, record, hand back.
#include "penstock/dispatcher.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/say.hpp"
#include "dispatcher_impl.hpp"
#include "work/check.hpp"

namespace penstock {
namespace {

// Longer than any process runs, and short enough to be added to any clock.
constexpr Duration kForever = std::chrono::years{10};
// How long a shutdown tries to record what ended while the store is away.
constexpr Duration kFlushWait = std::chrono::seconds{5};

void check_range(const char* field, std::size_t value, std::size_t least, std::size_t most) {
  if (value >= least && value <= most) return;
  work::refuse(field, std::string(field) + " must be from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", found " + std::to_string(value));
}

void check_least(const char* field, Duration value, Duration least) {
  if (value >= least) return;
  work::refuse(field, std::string(field) + " must be at least " + std::to_string(least.count()) +
                          " us, found " + std::to_string(value.count()));
}

DispatcherOptions checked(DispatcherOptions options) {
  work::check_text("name", options.name, limits::kHandlerBytes);
  check_range("concurrency", options.concurrency, 1, 4'096);
  check_range("batch", options.batch, 1, 10'000);
  check_range("max_unrecorded", options.max_unrecorded, 1, 1'000'000);
  check_least("lease", options.lease, std::chrono::milliseconds{100});
  check_least("poll", options.poll, std::chrono::milliseconds{1});
  check_least("grace", options.grace, Duration::zero());
  check_least("purge_every", options.purge_every, Duration::zero());
  check_least("completion_window", options.completion_window, Duration::zero());
  check_least("abort_wait", options.abort_wait, Duration::zero());
  for (Duration* span : {&options.lease, &options.poll, &options.grace, &options.abort_wait,
                         &options.purge_every, &options.completion_window}) {
    *span = std::min(*span, kForever);
  }
  return options;
}

}  // namespace

Dispatcher::Impl::Impl(DispatcherParts parts, DispatcherOptions options)
    : options_(checked(std::move(options))),
      owned_(std::move(parts.owned)),
      source_(parts.source),
      routes_(std::move(parts.routes)),
      begin_(std::move(parts.begin)),
      board_(std::make_shared<dispatch::Board>(options_, routes_)),
      claimer_(*board_, source_, counters_, options_),
      keeper_(*board_, source_, options_, std::move(parts.purge), parts.lease_of),
      finisher_(*board_, source_, counters_, options_.log),
      listener_(*board_, std::move(parts.listen), options_.log),
      duties_(std::move(parts.duties)),
      watch_(*board_, runners_, options_.lease) {
  for (std::size_t i = 0; i < options_.concurrency; ++i) {
    runners_.push_back(std::make_unique<dispatch::Runner>(board_, source_, begin_));
  }
  try {
    start_threads();
  } catch (...) {
    stop();  // The system has no more threads: let those end that were started.
    throw;
  }
}

Dispatcher::Impl::~Impl() { stop(); }

void Dispatcher::Impl::break_down(const char* thread, const char* what) noexcept {
  broken_ = true;
  base::say(options_.log, LogLevel::error, "dispatcher stops claiming",
            {{"thread", thread}, {"message", what}});
  board_->stop_claiming();
}

template <typename Body>
bool Dispatcher::Impl::run_thread(const char* name, Body body) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    break_down(name, error.what());
  } catch (...) {
    break_down(name, "something that is no std::exception");
  }
  return false;
}

void Dispatcher::Impl::start_threads() {
  const auto run_again = [this](const char* name, auto body) {
    // Handlers still run, end, and want their ends recorded and their leases extended.
    return std::jthread([this, name, body] {
      while (!run_thread(name, body)) continue;
    });
  };
  finisher_thread_ = run_again("finisher", [this] { finisher_.run(); });
  keeper_thread_ = run_again("keeper", [this] { keeper_.run(); });
  if (duties_) {
    duties_thread_ = run_again("duties", [this] {
      duties_->run([this](Duration delay) { return board_->await_closed(delay); });
    });
  }
  watch_thread_ = run_again("watch", [this] { watch_.run(); });
  for (const auto& runner : runners_) {
    handler_threads_.push_back(run_again("handlers", [&runner] { runner->run(); }));
  }
  claimer_thread_ = std::jthread([this] { run_thread("claimer", [this] { claimer_.run(); }); });
  listener_thread_ = std::jthread([this] { run_thread("listener", [this] { listener_.run(); }); });
}

void Dispatcher::Impl::refuse_handlers(const char* call) const {
  const auto is_this = [](const std::jthread& thread) {
    return thread.get_id() == std::this_thread::get_id();
  };
  if (std::ranges::none_of(handler_threads_, is_this)) return;
  throw Error(
      ErrorKind::usage,
      std::string(call) +
          " was called by a handler of this dispatcher, for whose end it would wait: tell the "
          "thread that owns the dispatcher instead",
      {.operation = call});
}

void Dispatcher::Impl::run_until_idle() {
  refuse_handlers("run_until_idle");
  // What is deferred and due becomes work by the duties, and what ran may have deferred more.
  do {
    if (duties_) duties_->step();
    if (!board_->await_idle()) return;
  } while (duties_ && duties_->step());
}

void Dispatcher::Impl::stop() {
  refuse_handlers("stop");
  {
    base::MutexLock lock(stop_mutex_);
    if (stop_state_ == StopState::stopping) {
      while (stop_state_ != StopState::stopped) stop_over_.wait(lock);
    }
    if (stop_state_ == StopState::stopped) return;
    stop_state_ = StopState::stopping;
  }
  end_threads();
  base::MutexLock lock(stop_mutex_);
  stop_state_ = StopState::stopped;
  stop_over_.notify_all();
}

void Dispatcher::Impl::end_threads() {
  board_->stop_claiming();
  listener_.interrupt();
  if (listener_thread_.joinable()) listener_thread_.join();
  if (claimer_thread_.joinable()) claimer_thread_.join();
  // A lost claim has to wait neither for the drain nor, if the store is away now, for its lease.
  claimer_.settle();
  drain();
  flush();
  if (keeper_thread_.joinable()) keeper_thread_.join();
  if (duties_thread_.joinable()) duties_thread_.join();
  if (watch_thread_.joinable()) watch_thread_.join();
  claimer_.settle();
  claimer_.relinquish();
}

void Dispatcher::Impl::drain() {
  const auto now = std::chrono::steady_clock::now();
  if (board_->await_finished(now + options_.grace)) return;
  for (const auto& attempt : board_->in_hand()) {
    if (!attempt->ended()) attempt->request_stop(StopReason::shutdown);
  }
  if (board_->await_finished(std::chrono::steady_clock::now() + options_.abort_wait)) return;
  base::say(options_.log, LogLevel::warning, "handlers ignored the end of the grace period");
  board_->release_unfinished();
}

void Dispatcher::Impl::flush() {
  board_->close();
  if (!finisher_thread_.joinable()) return;
  const auto deadline = std::chrono::steady_clock::now() + kFlushWait;
  if (!board_->await_recorded(deadline)) finisher_.give_up();
  finisher_thread_.join();
}

DispatcherCounters Dispatcher::Impl::counters() const {
  return {.claimed = counters_.claimed,
          .completed = counters_.completed,
          .retried = counters_.retried,
          .snoozed = counters_.snoozed,
          .buried = counters_.buried,
          .released = counters_.released,
          .lost = counters_.lost,
          .claims = counters_.claims};
}

Dispatcher::Dispatcher(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;
Dispatcher& Dispatcher::operator=(Dispatcher&&) noexcept = default;
Dispatcher::~Dispatcher() = default;

void Dispatcher::run_until_idle() {
  if (impl_) impl_->run_until_idle();
}
void Dispatcher::stop() {
  if (impl_) impl_->stop();
}
bool Dispatcher::healthy() const { return impl_ && impl_->healthy(); }
DispatcherCounters Dispatcher::counters() const {
  return impl_ ? impl_->counters() : DispatcherCounters{};
}

}  // namespace penstock
