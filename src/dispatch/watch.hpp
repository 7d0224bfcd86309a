// Watches running attempts by the local clock: timeouts, leases that run out unrenewed, and threads
// held up by a long attempt. It never calls a store, so a store that hangs cannot hang it.
#pragma once

#include <memory>
#include <vector>

#include "dispatch/board.hpp"
#include "dispatch/runner.hpp"

namespace penstock::dispatch {

/// Body of the watch thread. What it borrows must outlive it.
class Watch {
 public:
  Watch(Board& board, const std::vector<std::unique_ptr<Runner>>& runners, Duration lease)
      : board_(board), runners_(runners), lease_(lease) {}

  /// Until the board is closed. Sleeps while nothing is in hand.
  void run();

 private:
  void look(SteadyTime now);

  Board& board_;
  const std::vector<std::unique_ptr<Runner>>& runners_;
  const Duration lease_;
};

}  // namespace penstock::dispatch
