// A rate, as tokens that come evenly and are spent one for each attempt. Pure: told the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace penstock::dispatch {

/// One thread at a time.
class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `rate` per second, above 0. At most `burst` (1 or more) are kept for later.
  TokenBucket(double rate, double burst, Time now)
      : rate_(rate), burst_(std::max(burst, 1.0)), tokens_(burst_), at_(now) {}

  /// How many attempts may begin now.
  [[nodiscard]] std::size_t available(Time now) {
    refill(now);
    return tokens_ < 1 ? 0 : static_cast<std::size_t>(tokens_);
  }
  /// More than are available may be taken: the debt is paid before there are tokens again.
  void take(std::size_t count) { tokens_ -= static_cast<double>(count); }

  /// When there is one more than now.
  [[nodiscard]] Time next_at(Time now) {
    refill(now);
    const double wanted = std::max(1.0, std::floor(tokens_) + 1);
    const double seconds = std::min((wanted - tokens_) / rate_, kLongest);
    return now + std::chrono::ceil<Time::duration>(std::chrono::duration<double>(seconds));
  }

 private:
  static constexpr double kLongest = 86'400;  // A rate of one a year must not overflow a clock.

  void refill(Time now) {
    if (now <= at_) return;
    const std::chrono::duration<double> passed = now - at_;
    tokens_ = std::min(burst_, tokens_ + passed.count() * rate_);
    at_ = now;
  }

  double rate_;
  double burst_;
  double tokens_;
  Time at_;
};

}  // namespace penstock::dispatch
