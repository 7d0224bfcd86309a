// How long to wait for a store that fails, and how often to say so.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/random.hpp"
#include "penstock/clock.hpp"

namespace penstock::base {

/// Doubling from 50 ms to 1 s, with jitter, so that a fleet does not come back in step. The cap is
/// what bounds the time to recover once the store is back.
class Backoff {
 public:
  explicit Backoff(Random& random) : random_(random) {}

  [[nodiscard]] Duration next() {
    const double full = 50.0 * std::ldexp(1.0, std::min(failures_++, 5));
    const double jittered = std::min(full, 1'000.0) * (0.5 + 0.5 * random_.fraction());
    return Duration{static_cast<Duration::rep>(jittered * 1'000)};
  }
  void reset() { failures_ = 0; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  Random& random_;
  int failures_ = 0;
};

}  // namespace penstock::base
