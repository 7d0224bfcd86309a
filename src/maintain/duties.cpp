// The thread of the duties.
#include "maintain/duties.hpp"

#include <algorithm>
#include <string>

#include "base/say.hpp"
#include "penstock/error.hpp"

namespace penstock::maintain {
namespace {

// A store that has more to do at once still lets others in between.
constexpr Duration kShortestWait = std::chrono::milliseconds{1};
constexpr Duration kLongestWait = std::chrono::seconds{10};

}  // namespace

void Duties::report(const Maintained& done) const {
  const bool jobs_moved = done.promoted + done.rescued + done.buried > 0;
  const bool rows_went = done.purged + done.rotated + done.pruned > 0;
  if (!jobs_moved && !rows_went) return;
  base::say(log_, done.rescued > 0 ? LogLevel::warning : LogLevel::debug, "queue maintained",
            {{"promoted", std::to_string(done.promoted)},
             {"rescued", std::to_string(done.rescued)},
             {"buried", std::to_string(done.buried)},
             {"purged", std::to_string(done.purged)},
             {"rotated", std::to_string(done.rotated)},
             {"pruned", std::to_string(done.pruned)}});
}

Maintained Duties::step_locked() {
  const Maintained done = maintenance_->step();
  report(done);
  return done;
}

bool Duties::step() {
  base::MutexLock lock(mutex_);
  try {
    const Maintained done = step_locked();
    return done.promoted + done.rescued > 0;
  } catch (const Error& error) {
    base::say_store_error(log_, "maintain", error, 0);
    return false;
  }
}

void Duties::run(const std::function<bool(Duration)>& wait) {
  base::Backoff backoff(random_);
  Duration delay = Duration::zero();
  while (!wait(delay)) {
    try {
      base::MutexLock lock(mutex_);
      delay = std::clamp(step_locked().again_in, kShortestWait, kLongestWait);
      backoff.reset();
    } catch (const Error& error) {
      base::say_store_error(log_, "maintain", error, backoff.failures());
      delay = backoff.next();
    }
  }
}

}  // namespace penstock::maintain
