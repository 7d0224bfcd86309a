// The board: all work that this process has in hand, and who waits for what. The threads of a
// dispatcher meet here and nowhere else; work moves in batches, so the lock is taken per batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "claim/plan.hpp"
#include "dispatch/attempt.hpp"
#include "dispatch/process_gate.hpp"
#include "penstock/dispatcher.hpp"

namespace penstock::dispatch {

/// A claim to make: sizes, and room by handler.
struct ClaimOrder {
  claim::Plan plan{};
  /// Leases ran out unrenewed: what this process still believes to hold, it shall not adopt again.
  bool as_new_incarnation = false;
  std::vector<HandlerRoom> rooms{};
};

/// Thread-safe. No call into a store or a handler is made from here.
class Board {
 public:
  /// `routes` must outlive the board.
  Board(const DispatcherOptions& options, std::span<const std::unique_ptr<Route>> routes);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // The claimer.
  /// Waits until there is reason and room to claim. Empty: the dispatcher stops.
  [[nodiscard]] std::optional<ClaimOrder> await_claim(SteadyTime look_at_latest);
  /// Puts claimed work up for the threads. While stopping it is released instead.
  void add(Claimed claimed, SteadyTime lease_until, bool was_full);
  /// Nothing was claimed because the store failed.
  void claim_failed();
  /// Sleeps for a backoff; false when the dispatcher stops.
  bool pause(Duration delay);

  // Hints.
  void hint();

  // The handler threads.
  /// Waits for runs to do; empty: the dispatcher is closed.
  [[nodiscard]] std::vector<Run> take();
  /// Attempts that ended. Followers in their runs go on or are released by how they ended.
  void end(std::vector<Ended> ended);
  /// Runs that were taken and not begun.
  void give_back(std::deque<Run> runs);
  /// Keeps the rest of a run until its deferred head ends.
  void park(const AttemptPtr& head, Run followers);

  // The finisher.
  /// Waits for ended attempts, for at most the completion window while others run; empty: closed
  /// and nothing is left.
  [[nodiscard]] std::vector<Ended> collect();
  /// Their ends are written (or can never be).
  void recorded(std::span<const Ended> ended);

  // The keeper and the watch.
  [[nodiscard]] std::vector<AttemptPtr> in_hand() const;
  /// Waits until something is in hand; false: closed.
  bool await_in_hand();
  /// Waits for at most `delay`; true: closed.
  bool await_closed(Duration delay);

  /// Leases could not be renewed in time: nothing is claimed until the hands are empty.
  void distrust_leases();

  // Idle and stop.
  /// Waits until a claim that began with empty hands found nothing; false: the dispatcher stopped.
  bool await_idle();
  /// No more claims; what waits for a thread is released.
  void stop_claiming();
  /// Waits until nothing is unfinished.
  bool await_finished(SteadyTime deadline);
  /// Waits until nothing is in hand.
  bool await_recorded(SteadyTime deadline);
  /// Ends whatever still runs with a release; its own end will come too late.
  void release_unfinished();
  /// Lets the threads and the finisher go.
  void close();
  /// Takes no lock: the threads ask before each attempt.
  [[nodiscard]] bool stopping() const noexcept {
    return stop_seen_.load(std::memory_order_acquire);
  }

 private:
  [[nodiscard]] claim::Load load() const PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] bool claim_wanted() const PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] std::optional<ClaimOrder> next_claim() PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] SteadyTime look_again_at(SteadyTime look_at_latest) const PENSTOCK_REQUIRES(mutex_);
  void leave_if_empty() PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] bool waits_for_empty_hands() const PENSTOCK_REQUIRES(mutex_);
  void note_suspects(bool wait) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] std::vector<HandlerRoom> rooms() PENSTOCK_REQUIRES(mutex_);
  void wake_claimer() PENSTOCK_REQUIRES(mutex_);
  void put_in_hand(const AttemptPtr& attempt) PENSTOCK_REQUIRES(mutex_);
  void take_out_of_hand(const AttemptPtr& attempt) PENSTOCK_REQUIRES(mutex_);
  void account_end(Ended& ended) PENSTOCK_REQUIRES(mutex_);
  void settle_followers(Run followers, End::Kind head_end) PENSTOCK_REQUIRES(mutex_);
  void release_run(Run& run) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] Route& route_of(const std::string& name) const;

  const std::size_t concurrency_;
  const std::size_t batch_;
  const std::size_t max_unrecorded_;
  const Duration completion_window_;
  const std::span<const std::unique_ptr<Route>> routes_;

  mutable base::Mutex mutex_;
  base::Condition claimer_;
  base::Condition threads_;
  base::Condition finisher_;
  base::Condition waiters_;  // await_idle, await_finished, pause

  std::vector<AttemptPtr> in_hand_ PENSTOCK_GUARDED_BY(mutex_);
  std::deque<Run> waiting_ PENSTOCK_GUARDED_BY(mutex_);
  std::vector<Ended> ended_ PENSTOCK_GUARDED_BY(mutex_);
  SteadyTime first_ended_ PENSTOCK_GUARDED_BY(mutex_){};
  std::size_t unfinished_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::size_t waiting_attempts_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::size_t idle_threads_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::size_t suspects_in_hand_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  bool suspects_wait_ PENSTOCK_GUARDED_BY(mutex_) = false;
  // Until when nothing is claimed so that the hands become empty for the suspect. It may be done
  // elsewhere meanwhile, so then a claim looks again; the time doubles while it is still there.
  SteadyTime suspects_waited_for_until_ PENSTOCK_GUARDED_BY(mutex_){};
  Duration suspect_patience_ PENSTOCK_GUARDED_BY(mutex_){0};
  bool leases_distrusted_ PENSTOCK_GUARDED_BY(mutex_) = false;
  ProcessGate::Presence presence_ PENSTOCK_GUARDED_BY(mutex_) = ProcessGate::Presence::absent;
  bool look_ PENSTOCK_GUARDED_BY(mutex_) = true;  // Reason to claim before the next poll.
  // When a limited rate lets the next attempt begin; the far future: no rate is in the way.
  SteadyTime next_token_at_ PENSTOCK_GUARDED_BY(mutex_) = SteadyTime::max();
  bool claiming_from_empty_ PENSTOCK_GUARDED_BY(mutex_) = false;
  // Claims that began with empty hands are numbered; one of them that finds nothing proves
  // idleness.
  std::uint64_t claims_from_empty_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_idle_claim_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::uint64_t idle_claim_wanted_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> stop_seen_ = false;
  bool stopping_ PENSTOCK_GUARDED_BY(mutex_) = false;
  bool closed_ PENSTOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace penstock::dispatch
