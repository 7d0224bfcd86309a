// The duties.
#include "store/sqlite/queue/upkeep.hpp"

#include <algorithm>
#include <string>

#include "base/mutant.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"
#include "store/sqlite/queue/job_rows.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/sql.hpp"
#include "work/delivery_state.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr Duration kEverySecond = std::chrono::seconds{1};
constexpr Duration kEveryHour = std::chrono::hours{1};
constexpr std::size_t kAtOnce = 1'000;
constexpr int kMostRounds = 64;

}  // namespace

SqliteUpkeep::Time SqliteUpkeep::now() const {
  return options_.stopwatch ? options_.stopwatch() : std::chrono::steady_clock::now();
}

bool SqliteUpkeep::is_due(Time& at, Duration every, Hurry hurry) {
  const Time current = now();
  if (hurry == Hurry::no && at != Time{} && current < at) return false;
  at = current + every;
  return true;
}

// Looks first: a process that has nothing to promote writes nothing.
Duration SqliteUpkeep::promote(Maintained& done) {
  Duration next = kEverySecond;
  std::vector<std::string> due;
  database_.read("promote", [&](Connection& connection) {
    Query query = connection.query(sql::queue_deferred_queues);
    while (query.next()) {
      if (query.integer(2) != 0) continue;
      const Duration until = query.time(1) - database_.now();
      if (until <= Duration::zero()) {
        due.emplace_back(query.text(0));
      } else {
        next = std::min(next, until);
      }
    }
    return true;
  });
  for (const std::string& queue : due) {
    done.promoted += database_.write("promote", [&](Connection& connection) {
      return promote_due(connection, queue, database_.now(), rotor_++);
    });
  }
  if (!due.empty()) hints_.signal();
  return next;
}

// A beat that stands still proves nothing while nobody could look: a gap between two looks begins
// the watch anew.
void SqliteUpkeep::watch_workers() {
  const Time current = now();
  const bool unbroken = watched_at_ && current - *watched_at_ <= options_.lease / 3;
  std::vector<std::pair<std::int64_t, std::int64_t>> still;
  database_.read("watch", [&](Connection& connection) {
    std::map<std::int64_t, Seen> seen;
    Query query = connection.query(sql::queue_workers);
    while (query.next()) {
      if (query.integer(3) != 0) continue;
      const std::int64_t worker = query.integer(0);
      const std::int64_t beat = query.integer(2);
      const auto before = workers_.find(worker);
      const bool same = unbroken && before != workers_.end() && before->second.beat == beat;
      const Seen looked{beat, same ? before->second.since : current};
      seen.emplace(worker, looked);
      if (current - looked.since >= options_.lease) still.emplace_back(worker, beat);
    }
    workers_ = std::move(seen);
    return true;
  });
  watched_at_ = current;
  if (base::is_mutant("never_rescue")) return;
  for (const auto& [worker, beat] : still) {
    database_.write("rescue", [&, worker = worker, beat = beat](Connection& connection) {
      connection.run(sql::queue_mark_dead, worker, std::optional(beat));
    });
    base::say(options_.log, LogLevel::warning, "a worker is given up: its heartbeat stopped",
              {{"worker", std::to_string(worker)}});
  }
}

void SqliteUpkeep::rescue(Maintained& done) {
  if (base::is_mutant("never_rescue")) return;
  const auto orphans = [&](Connection& connection) {
    std::vector<JobId> ids;
    Query query = connection.query(sql::queue_orphans, kAtOnce);
    while (query.next()) ids.push_back(JobId{query.integer(0)});
    return ids;
  };
  while (!database_.read("rescue", orphans).empty()) {
    database_.write("rescue", [&](Connection& connection) {
      const Change how{.now = database_.now()};
      for (const JobId id : orphans(connection)) {
        JobRow row = *find_job(connection, id);
        const work::CrashCharge charge =
            work::charge_for_crash(row.stored.attempts, row.suspect, row.stored.job.max_attempts);
        const bool charged = charge.attempts > row.stored.attempts;
        if (charge.bury) {
          row.suspect = true;
          bury_job(connection, row, work::kJobWorkerLost, charged, how);
          ++done.buried;
        } else {
          put_back(connection, row,
                   {.shard = row.shard,
                    .run_at = how.now,
                    .charge = charged,
                    .suspect = true,
                    .error = work::kJobWorkerLost},
                   how);
        }
        ++done.rescued;
      }
    });
    hints_.signal();
  }
}

void SqliteUpkeep::purge(Maintained& done) {
  const Timestamp current = database_.now();
  const auto purge_state = [&](JobState state, Duration retention) {
    return database_.write("purge", [&](Connection& connection) {
      connection.run(sql::queue_purge_ended, to_string(state), current - retention, kAtOnce);
      return static_cast<std::int64_t>(connection.changes());
    });
  };
  for (const auto& [state, retention] :
       {std::pair{JobState::dead, options_.retention.dead},
        std::pair{JobState::completed, options_.retention.completed},
        std::pair{JobState::cancelled, options_.retention.completed}}) {
    for (int round = 0; round < kMostRounds; ++round) {
      const std::int64_t rows = purge_state(state, retention);
      done.purged += rows;
      if (rows < static_cast<std::int64_t>(kAtOnce)) break;
    }
  }
  database_.write("purge", [&](Connection& connection) {
    connection.run(sql::queue_purge_keys, current - options_.retention.completed);
    connection.run(sql::queue_forget_workers, current - kEveryHour);
  });
}

Maintained SqliteUpkeep::step(Hurry hurry) {
  Maintained done;
  if (is_due(watch_at_, std::min<Duration>(kEverySecond, options_.lease / 10), hurry)) {
    watch_workers();
    rescue(done);
  }
  if (is_due(purge_at_, kEveryHour, hurry)) purge(done);
  const Duration next = promote(done);
  done.again_in = std::min<Duration>({next, kEverySecond, options_.lease / 10});
  return done;
}

Maintained SqliteUpkeep::step() { return step(Hurry::no); }

Maintained SqliteUpkeep::step_all() {
  Maintained all;
  for (int round = 0; round < kMostRounds; ++round) {
    const Maintained done = step(Hurry::yes);
    all.promoted += done.promoted;
    all.rescued += done.rescued;
    all.buried += done.buried;
    all.purged += done.purged;
    all.again_in = done.again_in;
    if (done.promoted + done.rescued + done.purged == 0) break;
  }
  return all;
}

std::unique_ptr<QueueMaintenance> SqliteQueue::maintenance(MaintenanceOptions options) {
  if (options.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of maintenance must be longer than zero",
                {.operation = "maintenance", .field = "lease"});
  }
  return std::make_unique<SqliteUpkeep>(database_, hints_, std::move(options));
}

}  // namespace penstock::sqlite::detail
