// Runs handlers: what one handler thread does.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "base/random.hpp"
#include "dispatch/board.hpp"
#include "penstock/work_source.hpp"

namespace penstock::dispatch {

/// What a transactional handler needs of its store beyond the eight calls.
using BeginTransaction = std::function<std::unique_ptr<OwnedTransaction>()>;

/// What one handler thread does. `run` is called by that thread, `unstick` by another.
class Runner {
 public:
  /// The board is shared with Completions that outlive the dispatcher; the others must outlive it.
  Runner(std::shared_ptr<Board> board, WorkSource& source, const BeginTransaction& begin)
      : board_(std::move(board)), source_(source), begin_(begin) {}

  /// Takes runs from the board until it is closed.
  void run();

  /// If the current attempt has run for long: hands over what ended before it, and gives back the
  /// runs that stand behind it.
  void unstick(SteadyTime now);

 private:
  enum class Next { go_on, release_rest, parked };

  [[nodiscard]] bool next_run(Run& run);
  void run_all(Run run);
  [[nodiscard]] Next run_one(Run& run, std::size_t index);
  [[nodiscard]] Next run_plain(const Handler::Plain& handler, const AttemptPtr& attempt);
  [[nodiscard]] Next run_transactional(const Handler::Transactional& handler,
                                       const AttemptPtr& attempt);
  void run_deferred(const Handler::Deferred& handler, Run& run, std::size_t index);
  [[nodiscard]] End commit(const AttemptPtr& attempt, OwnedTransaction& transaction);
  Next finish(const AttemptPtr& attempt, End end);
  [[nodiscard]] End judge(const Attempt& attempt, const Outcome& outcome, bool thrown);
  void hand_over();

  const std::shared_ptr<Board> board_;
  WorkSource& source_;
  const BeginTransaction& begin_;
  base::Random random_;

  base::Mutex mutex_;  // Taken before the board's.
  std::deque<Run> todo_ PENSTOCK_GUARDED_BY(mutex_);
  std::vector<Ended> ended_ PENSTOCK_GUARDED_BY(mutex_);
  SteadyTime current_began_ PENSTOCK_GUARDED_BY(mutex_) = SteadyTime::max();
};

/// Ends a deferred attempt for its timeout, if nothing else has.
void end_timed_out(Board& board, const AttemptPtr& attempt);

}  // namespace penstock::dispatch
