// The end of an attempt.
#include "dispatch/end_of_attempt.hpp"

#include <algorithm>

#include "base/mutant.hpp"

namespace penstock::dispatch {
namespace {

// A user's retry delay may be anything; the store must never see one that it cannot add to now.
constexpr Duration kLongestDelay = std::chrono::years{10};

Duration sane(Duration delay) { return std::clamp(delay, Duration::zero(), kLongestDelay); }

std::string told(const Outcome::Retry& retry, const Finish& finish) {
  if (finish.stop_reason != StopReason::timeout) return retry.error;
  return retry.error.empty() ? "timed out" : "timed out: " + retry.error;
}

End failed(const Outcome::Retry& retry, const Finish& finish, const RetryDelay& retry_delay,
           double random) {
  const bool was_told_to_stop =
      finish.stop_reason == StopReason::shutdown || finish.stop_reason == StopReason::lease_lost;
  if (finish.thrown && was_told_to_stop) return {.kind = End::Kind::release};
  if (finish.attempts_spent >= finish.max_attempts && !base::is_mutant("retry_for_ever")) {
    return {.kind = End::Kind::bury, .text = told(retry, finish)};
  }
  const Duration delay = retry.after ? *retry.after : retry_delay(finish.attempts_spent, random);
  return {.kind = End::Kind::reschedule, .delay = sane(delay), .text = told(retry, finish)};
}

}  // namespace

End end_of_attempt(const Outcome& outcome, const Finish& finish, const RetryDelay& retry_delay,
                   double random) {
  struct Visitor {
    const Finish& finish;
    const RetryDelay& retry_delay;
    double random;

    End operator()(const Outcome::Done&) const { return {.kind = End::Kind::complete}; }
    End operator()(const Outcome::Retry& retry) const {
      return failed(retry, finish, retry_delay, random);
    }
    End operator()(const Outcome::Snooze& snooze) const {
      return {.kind = End::Kind::reschedule, .delay = sane(snooze.after), .charge = Charge::keep};
    }
    End operator()(const Outcome::Bury& bury) const {
      return {.kind = End::Kind::bury, .text = bury.reason};
    }
  };
  return std::visit(Visitor{finish, retry_delay, random}, outcome.value());
}

}  // namespace penstock::dispatch
