// Tells the store how attempts ended, many at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "base/random.hpp"
#include "complete/counters.hpp"
#include "dispatch/board.hpp"
#include "penstock/dispatcher.hpp"
#include "penstock/error.hpp"
#include "penstock/work_source.hpp"

namespace penstock::complete {

/// Body of the finisher thread. What it borrows must outlive it.
class Finisher {
 public:
  Finisher(dispatch::Board& board, WorkSource& source, Counters& counters, const Log& log)
      : board_(board), source_(source), counters_(counters), log_(log) {}

  /// Until the board is closed and everything that ended is recorded, or `give_up` was called.
  void run();

  /// The store has been away for the whole of a shutdown: leave the rest to the leases.
  void give_up() PENSTOCK_EXCLUDES(mutex_);

 private:
  void record(std::vector<dispatch::Ended>& ended);
  /// Calls `write` with a part of `items` until the store has taken all of them.
  template <typename Item, typename Write>
  void write_until_done(const char* what, std::span<const Item> items, Write write);
  /// Makes a dead letter of an attempt whose end the store refuses.
  void bury_refused(const Token& token, const char* what, const Error& error);
  void write_buries(std::span<const Bury> items);
  void complete(const std::vector<dispatch::Ended>& ended);
  void reschedule(const std::vector<dispatch::Ended>& ended);
  void bury(const std::vector<dispatch::Ended>& ended);
  void release(const std::vector<dispatch::Ended>& ended);
  /// Waits for `delay`; true: do not try again.
  [[nodiscard]] bool given_up_within(Duration delay) PENSTOCK_EXCLUDES(mutex_);
  void report(const dispatch::Ended& ended);

  dispatch::Board& board_;
  WorkSource& source_;
  Counters& counters_;
  const Log& log_;
  base::Random random_;
  base::Mutex mutex_;
  base::Condition gave_up_;
  bool given_up_ PENSTOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace penstock::complete
