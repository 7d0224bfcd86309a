// Passes the store's hints on to the claimer. A listener that fails costs only time: polling goes
// on.
#pragma once

#include <functional>
#include <memory>

#include "base/mutex.hpp"
#include "base/random.hpp"
#include "dispatch/board.hpp"
#include "penstock/bus_store.hpp"
#include "penstock/log.hpp"

namespace penstock::wakeup {

using Listen = std::function<std::unique_ptr<Wakeup>()>;

/// Body of the listener thread. What it borrows must outlive it.
class Listener {
 public:
  Listener(dispatch::Board& board, Listen listen, const Log& log)
      : board_(board), listen_(std::move(listen)), log_(log) {}

  /// Until `interrupt` after the board stopped claiming.
  void run();
  void interrupt() PENSTOCK_EXCLUDES(mutex_);

 private:
  void pass_on_hints();

  dispatch::Board& board_;
  const Listen listen_;
  const Log& log_;
  base::Random random_;
  base::Mutex mutex_;
  std::unique_ptr<Wakeup> wakeup_ PENSTOCK_GUARDED_BY(mutex_);
};

}  // namespace penstock::wakeup
