// Keeps what is in hand: extends its leases, and does the slow duties in between.
#pragma once

#include "base/random.hpp"
#include "dispatch/board.hpp"
#include "maintain/purge.hpp"
#include "penstock/dispatcher.hpp"

namespace penstock::claim {

/// Body of the keeper thread. What it borrows must outlive it.
class Keeper {
 public:
  /// What a lease belongs to: the work in hand, or the process, which has to say that it lives also
  /// while it has nothing to do.
  enum class LeaseOf { work, process };

  /// `purge` may be empty: then nothing is purged.
  Keeper(dispatch::Board& board, WorkSource& source, const DispatcherOptions& options,
         maintain::PurgeBatch purge, LeaseOf lease_of)
      : board_(board),
        source_(source),
        options_(options),
        purge_(std::move(purge)),
        lease_of_(lease_of) {}

  /// Until the board is closed: also while a shutdown drains.
  void run();

 private:
  /// How long until leases want extending again.
  [[nodiscard]] Duration extend();
  /// How long until there is something to purge again.
  [[nodiscard]] Duration purge();

  dispatch::Board& board_;
  WorkSource& source_;
  const DispatcherOptions& options_;
  const maintain::PurgeBatch purge_;
  const LeaseOf lease_of_;
  base::Random random_;
  int extend_failures_ = 0;
  int purge_failures_ = 0;
  std::size_t purge_limit_ = maintain::kPurgeLimit;
};

}  // namespace penstock::claim
