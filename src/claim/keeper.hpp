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
  /// `purge` may be empty: then nothing is purged.
  Keeper(dispatch::Board& board, WorkSource& source, const DispatcherOptions& options,
         maintain::PurgeBatch purge)
      : board_(board), source_(source), options_(options), purge_(std::move(purge)) {}

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
  base::Random random_;
  int extend_failures_ = 0;
  int purge_failures_ = 0;
  std::size_t purge_limit_ = maintain::kPurgeLimit;
};

}  // namespace penstock::claim
