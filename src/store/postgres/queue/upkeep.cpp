// Leading: who died, what to rescue, when to begin a segment, which to empty.
#include "store/postgres/queue/upkeep.hpp"

#include <algorithm>
#include <string>

#include "base/mutant.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"
#include "store/postgres/queue/postgres_queue.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::string_view kDuty = "queue";
constexpr Duration kEverySecond = std::chrono::seconds{1};
constexpr Duration kEveryMinute = std::chrono::minutes{1};
constexpr Duration kEveryHour = std::chrono::hours{1};
constexpr Duration kLeaderStep = std::chrono::milliseconds{250};
constexpr std::int32_t kRescueAtOnce = 100;
constexpr std::int32_t kPurgeAtOnce = 1'000;
constexpr std::int64_t kSegmentRows = 1'000'000;
constexpr std::int32_t kPrunePatience = 20;   // Milliseconds.
constexpr std::int32_t kRehomePatience = 50;  // Milliseconds.
constexpr std::int32_t kRehomeMost = 20'000;
constexpr double kRehomeShare = 0.1;
constexpr std::int32_t kRehomeFree = 2;
constexpr int kSlots = 8;
constexpr int kMostRounds = 64;

}  // namespace

PostgresUpkeep::PostgresUpkeep(Database& database, MaintenanceOptions options)
    : database_(database), options_(std::move(options)) {}

PostgresUpkeep::~PostgresUpkeep() {
  if (!leads_) return;
  try {
    // So that another begins at once.
    database_.call("lead", Effect::repeatable, [&](Connection& connection) {
      static_cast<void>(
          connection.query(sql::lead, kDuty, options_.worker.value(), Duration::zero()));
    });
  } catch (const Error&) {
    return;  // Then its lease has to end.
  }
}

PostgresUpkeep::Time PostgresUpkeep::now() const {
  return options_.stopwatch ? options_.stopwatch() : std::chrono::steady_clock::now();
}

void PostgresUpkeep::attempt(const std::function<void()>& duty) {
  try {
    duty();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::conflict) throw;
    base::say_store_error(options_.log, "maintain", error, 0);
  }
}

bool PostgresUpkeep::is_due(Time& at, Duration every, Hurry hurry) {
  const Time current = now();
  if (hurry == Hurry::no && at != Time{} && current < at) return false;
  at = current + every;
  return true;
}

bool PostgresUpkeep::lead() {
  const Duration every = leads_ ? options_.lease / 3 : kEverySecond;
  if (!is_due(lead_again_at_, std::min<Duration>(every, options_.lease / 3), Hurry::no)) {
    return leads_;
  }
  const bool led_before = leads_;
  leads_ = false;  // Until it is known again.
  leads_ = database_.call("lead", Effect::repeatable, [&](Connection& connection) {
    return connection.query(sql::lead, kDuty, options_.worker.value(), options_.lease)
        .only()
        .boolean(0);
  });
  if (leads_ && !led_before) {
    workers_.clear();
    watched_at_.reset();
    rotated_at_.reset();
    const bool was_behind = call("guard", [&](Connection& connection) {
      return connection.query(sql::queue_guard).only().boolean(0);
    });
    if (was_behind) {
      base::say(options_.log, LogLevel::warning,
                "the queue's numbers were behind its jobs, as after a restore; they are ahead now");
    }
  }
  return leads_;
}

// A beat that stands still proves nothing while nobody could look: a gap between two looks begins
// the watch anew, so an outage of the database rescues nobody.
void PostgresUpkeep::watch_workers() {
  struct Standing {
    std::int64_t worker;
    std::int64_t beat;
    std::string name;
  };
  const Time current = now();
  std::vector<Standing> still;
  database_.read("watch", [&](Connection& connection) {
    still.clear();
    const bool unbroken = watched_at_ && current - *watched_at_ <= options_.lease / 3;
    std::map<std::int64_t, Seen> seen;
    for (const Row row : connection.query(sql::queue_workers)) {
      if (row.boolean(3)) continue;
      const std::int64_t worker = row.integer(0);
      const std::int64_t beat = row.integer(2);
      const auto before = workers_.find(worker);
      const bool same = unbroken && before != workers_.end() && before->second.beat == beat;
      const Seen now_seen{beat, same ? before->second.since : current};
      seen.emplace(worker, now_seen);
      if (current - now_seen.since >= options_.lease) {
        still.push_back({worker, beat, std::string(row.text(1))});
      }
    }
    workers_ = std::move(seen);
  });
  watched_at_ = current;
  if (base::is_mutant("never_rescue")) return;
  for (const Standing& one : still) {
    const bool dead = call("rescue", [&](Connection& connection) {
      return connection.query(sql::queue_mark_dead, one.worker, one.beat).only().boolean(0);
    });
    if (!dead) continue;
    base::say(options_.log, LogLevel::warning, "a worker is given up: its heartbeat stopped",
              {{"worker", one.name}});
  }
}

void PostgresUpkeep::rescue(Hurry hurry, Maintained& done) {
  if (base::is_mutant("never_rescue")) return;
  const bool thorough = is_due(thorough_at_, kEveryMinute, hurry);
  for (int round = 0; round < kMostRounds; ++round) {
    const std::int64_t claims = call("rescue", [&](Connection& connection) {
      const Result rows = connection.query(sql::queue_rescue, kRescueAtOnce, thorough,
                                           database_.options().completion_history);
      const Row row = rows.only();
      done.rescued += row.integer(1);
      done.buried += row.integer(2);
      return row.integer(0);
    });
    if (claims < kRescueAtOnce) return;
  }
}

void PostgresUpkeep::empty_slot(int slot, Maintained& done) {
  const std::string pruned = call("prune", [&](Connection& connection) {
    return std::string(connection.query(sql::queue_prune, slot, kPrunePatience).only().text(0));
  });
  if (pruned == "pruned") ++done.pruned;
  if (pruned != "active") return;
  const std::string rehomed = call("rehome", [&](Connection& connection) {
    return std::string(
        connection
            .query(sql::queue_rehome, slot, kRehomeMost, kRehomeShare, kRehomeFree, kRehomePatience)
            .only()
            .text(0));
  });
  if (rehomed == "rehomed") ++done.pruned;
}

void PostgresUpkeep::tend_ring(Hurry hurry, Maintained& done) {
  struct Ring {
    bool holds_anything = false;
    std::int64_t position = 0;
    std::vector<std::int64_t> sealed{};
  };
  const Ring ring = database_.read("tend the ring", [&](Connection& connection) {
    const Result rows = connection.query(sql::queue_ring);
    const Row row = rows.only();
    return Ring{row.boolean(1), row.integer(2), row.integers(3)};
  });
  const Time current = now();
  if (!rotated_at_ || !ring.holds_anything) {
    rotated_at_ = current;
    position_at_rotation_ = ring.position;
  }
  const bool is_old = current - *rotated_at_ >= options_.segment;
  const bool is_full = ring.position - position_at_rotation_ >= kSegmentRows;
  if (ring.holds_anything && (is_old || is_full || hurry == Hurry::yes)) {
    const std::string rotated = call("rotate", [&](Connection& connection) {
      return std::string(connection.query(sql::queue_rotate).only().text(0));
    });
    if (rotated == "rotated") {
      ++done.rotated;
      rotated_at_ = current;
      position_at_rotation_ = ring.position;
    } else if (rotated == "full") {
      base::say(options_.log, LogLevel::warning,
                "no segment is free: something holds all of them up; see the ring's age");
    }
  }
  if (!is_due(prune_at_, kEverySecond, hurry)) return;
  for (const std::int64_t slot : ring.sealed) {
    attempt([&] { empty_slot(static_cast<int>(slot), done); });
  }
}

void PostgresUpkeep::look_for_stranded() {
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::vector<std::int64_t> found = call("look for stranded", [&](Connection& connection) {
      std::vector<std::int64_t> ids;
      for (const Row row : connection.query(sql::queue_rescue_stranded, slot)) {
        ids.push_back(row.integer(0));
      }
      return ids;
    });
    if (found.empty()) continue;
    base::say(options_.log, LogLevel::error,
              "jobs stood where no claim would have found them; they are appended again. This is a "
              "fault of penstock: please report it",
              {{"jobs", std::to_string(found.size())}, {"first", std::to_string(found.front())}});
  }
}

void PostgresUpkeep::purge(Maintained& done) {
  const auto rows_of = [&](const SqlText& sql, const auto&... values) {
    return call("purge", [&](Connection& connection) { return connection.run(sql, values...); });
  };
  const auto until_few = [&](auto batch) {
    for (int round = 0; round < kMostRounds; ++round) {
      const std::int64_t rows = batch();
      done.purged += rows;
      if (rows < kPurgeAtOnce) return;
    }
  };
  const std::int64_t limit = kPurgeAtOnce;
  until_few([&] {
    return call("purge", [&](Connection& connection) {
      Parameters parameters;
      parameters.add_null_array<std::int64_t>();
      parameters.add(options_.retention.dead);
      parameters.add(kPurgeAtOnce);
      return connection.send(sql::queue_purge_dead, parameters).only().integer(0);
    });
  });
  until_few([&] { return rows_of(sql::queue_purge_history, options_.retention.completed, limit); });
  until_few(
      [&] { return rows_of(sql::queue_purge_unique_keys, options_.retention.completed, limit); });
  const auto count_of = [&](const SqlText& sql, const auto& value) {
    return call("purge", [&](Connection& connection) {
      return connection.query(sql, value).only().integer(0);
    });
  };
  static_cast<void>(count_of(sql::queue_purge_progress, kPurgeAtOnce));
  static_cast<void>(count_of(sql::queue_forget_workers, Duration{kEveryHour}));
}

void PostgresUpkeep::lead_step(Hurry hurry, Maintained& done) {
  attempt([&] {
    if (is_due(watch_at_, std::min<Duration>(kEverySecond, options_.lease / 10), hurry)) {
      watch_workers();
    }
  });
  attempt([&] {
    if (is_due(rescue_at_, std::min<Duration>(kEverySecond, options_.lease / 10), hurry)) {
      rescue(hurry, done);
    }
  });
  attempt([&] { tend_ring(hurry, done); });
  attempt([&] {
    if (is_due(stranded_at_, kEveryMinute, hurry)) look_for_stranded();
  });
  attempt([&] {
    if (is_due(purge_at_, kEveryHour, hurry)) purge(done);
  });
}

Maintained PostgresUpkeep::step() {
  Maintained done;
  if (lead()) lead_step(Hurry::no, done);
  done.again_in = std::min(promote(done), kLeaderStep);
  return done;
}

// No duty depends on being alone, so this asks nobody whether it may.
Maintained PostgresUpkeep::step_all() {
  Maintained all;
  for (int round = 0; round < kMostRounds; ++round) {
    Maintained done;
    lead_step(Hurry::yes, done);
    all.again_in = std::min(promote(done), kLeaderStep);
    all.promoted += done.promoted;
    all.rescued += done.rescued;
    all.buried += done.buried;
    all.purged += done.purged;
    all.rotated += done.rotated;
    all.pruned += done.pruned;
    const bool idle = done.promoted + done.rescued + done.purged + done.pruned == 0;
    if (idle) break;
  }
  return all;
}

std::unique_ptr<QueueMaintenance> PostgresQueue::maintenance(MaintenanceOptions options) {
  if (options.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of maintenance must be longer than zero",
                {.operation = "maintenance", .field = "lease"});
  }
  return std::make_unique<PostgresUpkeep>(database_, std::move(options));
}

}  // namespace penstock::postgres::detail
