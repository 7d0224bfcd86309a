// Takes due work for this process: when the board has room and reason, one claim at a time.
#pragma once

#include <functional>
#include <optional>

#include "base/random.hpp"
#include "complete/counters.hpp"
#include "dispatch/board.hpp"
#include "penstock/dispatcher.hpp"
#include "penstock/work_source.hpp"

namespace penstock::claim {

/// Body of the claimer thread. What it borrows must outlive it.
class Claimer {
 public:
  Claimer(dispatch::Board& board, WorkSource& source, complete::Counters& counters,
          const DispatcherOptions& options)
      : board_(board),
        source_(source),
        counters_(counters),
        options_(options),
        worker_(WorkerId::incarnation_of(options.name)) {}

  /// Until the board stops claiming. Throws what trying again cannot help.
  void run();

  /// Makes good, as far as the store lets it, what a claim left whose outcome is not known. Only
  /// after `run` is over.
  void settle();
  /// Hands back every lease that runs nothing. Only after `run` is over.
  void relinquish();

 private:
  [[nodiscard]] Claimed claim(const dispatch::ClaimOrder& order);
  void become_new_incarnation();
  void relinquish(const WorkerId& worker);
  void inherit_from_former();
  [[nodiscard]] Duration poll();

  dispatch::Board& board_;
  WorkSource& source_;
  complete::Counters& counters_;
  const DispatcherOptions& options_;
  WorkerId worker_;
  /// Whose leases `worker_` has to inherit before it claims: the outcome of its last claim is not
  /// known.
  std::optional<WorkerId> former_{};
  base::Random random_;
};

}  // namespace penstock::claim
