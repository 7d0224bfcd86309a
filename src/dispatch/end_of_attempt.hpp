// From what a handler said to what the store shall hear. Pure.
#pragma once

#include <string>

#include "dispatch/attempt.hpp"

namespace penstock::dispatch {

/// What is known when a handler has returned, thrown or been given up.
struct Finish {
  int attempts_spent = 0;  ///< Including this one.
  int max_attempts = 25;
  StopReason stop_reason = StopReason::none;
  bool thrown = false;  ///< `outcome` stands for an exception.
};

/// Decides between another attempt and the dead letters, and how long to wait.
///
/// An exception thrown because of a shutdown or a lost lease releases: no attempt is spent. A
/// handler that finished although its lease was lost is completed; the token decides. `random` is
/// in [0, 1).
[[nodiscard]] End end_of_attempt(const Outcome& outcome, const Finish& finish,
                                 const RetryDelay& retry_delay, double random);

}  // namespace penstock::dispatch
