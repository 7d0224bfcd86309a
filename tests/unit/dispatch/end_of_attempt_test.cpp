// From what a handler said to what the store hears.
#include "dispatch/end_of_attempt.hpp"

#include <gtest/gtest.h>

namespace penstock::dispatch {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using Kind = End::Kind;

End end_with(const Outcome& outcome, Finish finish, const HandlerOptions& options = {}) {
  finish.max_attempts = options.max_attempts;
  return end_of_attempt(outcome, finish, options.retry_delay, 0.0);
}

TEST(EndOfAttempt, CompletesWhatIsDone) {
  EXPECT_EQ(end_with(done(), {.attempts_spent = 1}).kind, Kind::complete);
}

TEST(EndOfAttempt, CompletesEvenAfterALostLease) {
  // The token decides, not this process.
  EXPECT_EQ(end_with(done(), {.attempts_spent = 1, .stop_reason = StopReason::lease_lost}).kind,
            Kind::complete);
}

TEST(EndOfAttempt, RetriesAFailureAfterTheHandlersDelay) {
  const End end = end_with(retry("no route"), {.attempts_spent = 3, .thrown = true});

  EXPECT_EQ(end.kind, Kind::reschedule);
  EXPECT_EQ(end.charge, Charge::charge);
  EXPECT_EQ(end.delay, seconds{8});
  EXPECT_EQ(end.text, "no route");
}

TEST(EndOfAttempt, RetriesAfterAnExplicitDelay) {
  EXPECT_EQ(end_with(retry("later", seconds{7}), {.attempts_spent = 1}).delay, seconds{7});
}

TEST(EndOfAttempt, BuriesTheLastAttempt) {
  const HandlerOptions options{.max_attempts = 3};
  EXPECT_EQ(end_with(retry("x"), {.attempts_spent = 2}, options).kind, Kind::reschedule);
  EXPECT_EQ(end_with(retry("x"), {.attempts_spent = 3}, options).kind, Kind::bury);
}

TEST(EndOfAttempt, SnoozesWithoutSpendingAnAttempt) {
  const HandlerOptions options{.max_attempts = 1};
  const End end = end_with(snooze(seconds{30}), {.attempts_spent = 1}, options);

  EXPECT_EQ(end.kind, Kind::reschedule);
  EXPECT_EQ(end.charge, Charge::keep);
  EXPECT_EQ(end.delay, seconds{30});
}

TEST(EndOfAttempt, BuriesOnRequest) {
  const End end = end_with(bury("no such order"), {.attempts_spent = 1});

  EXPECT_EQ(end.kind, Kind::bury);
  EXPECT_EQ(end.text, "no such order");
}

TEST(EndOfAttempt, ReleasesWhatWasThrownBecauseOfAShutdown) {
  const Finish finish{.attempts_spent = 25, .stop_reason = StopReason::shutdown, .thrown = true};
  EXPECT_EQ(end_with(retry("cancelled"), finish).kind, Kind::release);
}

TEST(EndOfAttempt, ChargesARetryThatTheHandlerAskedForDuringAShutdown) {
  const Finish finish{.attempts_spent = 1, .stop_reason = StopReason::shutdown};
  EXPECT_EQ(end_with(retry("server said no"), finish).kind, Kind::reschedule);
}

TEST(EndOfAttempt, SaysThatItTimedOut) {
  const Finish finish{.attempts_spent = 1, .stop_reason = StopReason::timeout, .thrown = true};
  EXPECT_EQ(end_with(retry("cancelled"), finish).text, "timed out: cancelled");
  EXPECT_EQ(end_with(retry(""), finish).text, "timed out");
}

TEST(EndOfAttempt, KeepsAnyDelayWithinReason) {
  EXPECT_EQ(end_with(snooze(-seconds{5}), {.attempts_spent = 1}).delay, Duration::zero());
  EXPECT_LE(end_with(snooze(Duration::max()), {.attempts_spent = 1}).delay, hours{24 * 366 * 10});
}

}  // namespace
}  // namespace penstock::dispatch
