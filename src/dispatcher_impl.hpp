// What stands behind a Dispatcher: the board, and the threads that meet at it.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "claim/claimer.hpp"
#include "claim/keeper.hpp"
#include "complete/finisher.hpp"
#include "dispatch/board.hpp"
#include "dispatch/runner.hpp"
#include "dispatch/watch.hpp"
#include "maintain/duties.hpp"
#include "penstock/dispatcher.hpp"
#include "wakeup/listener.hpp"

namespace penstock {

/// What a front door gives a dispatcher besides the work source.
struct DispatcherParts {
  WorkSource& source;
  std::vector<std::unique_ptr<dispatch::Route>> routes{};
  dispatch::BeginTransaction begin{};
  wakeup::Listen listen{};
  maintain::PurgeBatch purge{};
  claim::Keeper::LeaseOf lease_of = claim::Keeper::LeaseOf::work;
  /// May be empty. Ends before the source does.
  std::unique_ptr<maintain::Duties> duties{};
  /// Where the parts above live, if they are this dispatcher's own.
  std::shared_ptr<void> owned{};
};

class Dispatcher::Impl {
 public:
  Impl(DispatcherParts parts, DispatcherOptions options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void run_until_idle();
  void stop() PENSTOCK_EXCLUDES(stop_mutex_);
  [[nodiscard]] bool healthy() const { return !broken_ && !board_->stopping(); }
  [[nodiscard]] DispatcherCounters counters() const;

 private:
  void start_threads();
  /// A handler that waits for the end of its dispatcher waits for itself.
  void refuse_handlers(const char* call) const;
  /// The top of a thread: whatever `body` throws ends claiming, not the process. True: it returned.
  template <typename Body>
  bool run_thread(const char* name, Body body) noexcept;
  void break_down(const char* thread, const char* what) noexcept;
  void end_threads();
  void drain();
  void flush();

  const DispatcherOptions options_;
  const std::shared_ptr<void> owned_;
  WorkSource& source_;
  const std::vector<std::unique_ptr<dispatch::Route>> routes_;
  const dispatch::BeginTransaction begin_;
  complete::Counters counters_;
  // Shared with Completions of deferred handlers, which may outlive the dispatcher.
  const std::shared_ptr<dispatch::Board> board_;
  claim::Claimer claimer_;
  claim::Keeper keeper_;
  complete::Finisher finisher_;
  wakeup::Listener listener_;
  const std::unique_ptr<maintain::Duties> duties_;
  std::vector<std::unique_ptr<dispatch::Runner>> runners_;
  dispatch::Watch watch_;
  std::atomic<bool> broken_ = false;

  enum class StopState { running, stopping, stopped };
  base::Mutex stop_mutex_;
  base::Condition stop_over_;
  StopState stop_state_ PENSTOCK_GUARDED_BY(stop_mutex_) = StopState::running;

  // Last, so that they end before anything that they use.
  std::vector<std::jthread> handler_threads_;
  std::jthread watch_thread_;
  std::jthread keeper_thread_;
  std::jthread duties_thread_;
  std::jthread finisher_thread_;
  std::jthread claimer_thread_;
  std::jthread listener_thread_;
};

}  // namespace penstock
