// Extends at a third of the lease, so that two extensions may fail before anything is lost.
#include "claim/keeper.hpp"

#include <algorithm>
#include <vector>

#include "base/mutant.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"

namespace penstock::claim {
namespace {

// The first purge comes soon after the start, or a process that restarts often would never purge.
constexpr Duration kFirstPurge = std::chrono::minutes{1};

}  // namespace

void Keeper::run() {
  using SteadyClock = std::chrono::steady_clock;
  const bool purges = purge_ && options_.purge_every > Duration::zero();
  const Duration first = std::min<Duration>(options_.purge_every, kFirstPurge);
  const double spread = 0.5 + 0.5 * random_.fraction();
  auto purge_at = purges ? SteadyClock::now() + std::chrono::duration_cast<Duration>(first * spread)
                         : SteadyClock::time_point::max();
  auto extend_at = SteadyClock::now() + options_.lease / 3;
  for (;;) {
    const auto now = SteadyClock::now();
    const auto next = std::min(extend_at, purge_at);
    if (next > now && board_.await_closed(std::chrono::ceil<Duration>(next - now))) return;
    if (SteadyClock::now() >= extend_at) {
      extend_at = SteadyClock::now() + extend();
    } else if (purges && SteadyClock::now() >= purge_at) {
      purge_at = SteadyClock::now() + purge();
    }
    if (board_.await_closed(Duration::zero())) return;
  }
}

Duration Keeper::extend() {
  const std::vector<dispatch::AttemptPtr> attempts = board_.in_hand();
  const bool nothing_to_say = attempts.empty() && lease_of_ == LeaseOf::work;
  if (nothing_to_say || base::is_mutant("never_extend")) return options_.lease / 3;
  std::vector<Token> tokens;
  tokens.reserve(attempts.size());
  for (const auto& attempt : attempts) tokens.push_back(attempt->work.token);
  const auto began = std::chrono::steady_clock::now();
  try {
    const std::vector<Verdict> verdicts = source_.extend(tokens, options_.lease);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (verdicts[i] == Verdict::done) {
        attempts[i]->extend_lease(began + options_.lease);
      } else if (!attempts[i]->ended()) {
        attempts[i]->request_stop(StopReason::lease_lost);
      }
    }
    extend_failures_ = 0;
    return options_.lease / 3;
  } catch (const Error& error) {
    base::say_store_error(options_.log, "extend", error, extend_failures_++);
    return std::min<Duration>(options_.lease / 20, std::chrono::seconds{1});
  }
}

Duration Keeper::purge() {
  try {
    const Purged purged = purge_(purge_limit_);
    purge_failures_ = 0;
    if (purged.more) return Duration::zero();
    purge_limit_ = maintain::kPurgeLimit;
  } catch (const Error& error) {
    base::say_store_error(options_.log, "purge", error, purge_failures_++);
    purge_limit_ = maintain::smaller_purge_limit(purge_limit_);
    if (purge_failures_ < 10) return std::chrono::seconds{1};
  }
  return options_.purge_every;
}

}  // namespace penstock::claim
