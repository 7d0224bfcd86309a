// Claiming and keeping. A claim looks first, outside of a transaction, so that one that finds
// nothing writes nothing.
#include "store/sqlite/queue/job_source.hpp"

#include <algorithm>

#include "penstock/error.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {

/// A lane with its head.
struct SqliteJobs::Lane {
  int priority = 0;
  int shard = 0;
  Timestamp run_at{};
  bool suspect = false;
  std::int64_t effective = 0;
};

std::int64_t SqliteJobs::number() {
  base::MutexLock lock(mutex_);
  return number_;
}

void SqliteJobs::set_number(std::int64_t number) {
  base::MutexLock lock(mutex_);
  number_ = number;
}

bool SqliteJobs::has_work(const ClaimRequest& request) {
  return database_.peek("claim", [&](Connection& connection) {
    return std::ranges::any_of(request.handlers, [&](const HandlerRoom& queue) {
      if (queue.room == 0) return false;
      return connection.query(sql::queue_has_work, queue.handler, database_.now()).next();
    });
  });
}

std::int64_t SqliteJobs::alive(Connection& connection, const WorkerId& worker) {
  const std::int64_t known = number();
  if (known != 0 && connection.query(sql::queue_is_alive, known).next()) return known;
  std::int64_t number = 0;
  {
    Query query = connection.query(sql::queue_register, worker.value(), database_.now());
    if (query.next()) number = query.integer(0);
    query.run();
  }
  return number;
}

std::vector<SqliteJobs::Lane> SqliteJobs::lanes_of(Connection& connection, std::string_view queue,
                                                   SuspectPolicy suspects, Timestamp now) const {
  std::vector<Lane> lanes;
  {
    Query query = connection.query(sql::queue_lanes, queue);
    while (query.next()) {
      Lane lane{.priority = static_cast<int>(query.integer(0)),
                .shard = static_cast<int>(query.integer(1)),
                .run_at = query.time(2),
                .suspect = query.integer(3) != 0};
      const auto waited = std::max<Duration>(now - lane.run_at, Duration::zero());
      const std::int64_t steps =
          options_.ageing > Duration::zero() ? waited / options_.ageing : std::int64_t{0};
      lane.effective = std::max<std::int64_t>(kFirstPriority, lane.priority - steps);
      lanes.push_back(lane);
    }
  }
  const bool alone = suspects == SuspectPolicy::take_alone;
  std::ranges::sort(lanes, [alone](const Lane& a, const Lane& b) {
    return std::tuple(!(alone && a.suspect), a.effective, a.run_at, a.priority, a.shard) <
           std::tuple(!(alone && b.suspect), b.effective, b.run_at, b.priority, b.shard);
  });
  return lanes;
}

/// What one claim has taken so far.
class SqliteJobs::Taking {
 public:
  Taking(Connection& connection, std::int64_t worker, Timestamp now, std::size_t bytes)
      : connection_(connection), worker_(worker), now_(now), bytes_left_(bytes) {}

  Claimed claimed{};

  /// Takes from one lane; false: what was taken is a suspect, and runs alone.
  bool take(std::string_view queue, const Lane& lane, std::size_t most, SuspectPolicy suspects) {
    std::vector<Candidate> found = candidates(queue, lane, most);
    std::int64_t count = 0;
    bool go_on = true;
    for (const Candidate& one : found) {
      if (one.suspect) {
        const bool may = suspects == SuspectPolicy::take_alone && claimed.work.empty();
        if (!may) {
          claimed.suspects_wait = true;
          break;
        }
        go_on = false;
      }
      if (one.bytes > bytes_left_ && !claimed.work.empty()) {
        bytes_left_ = 0;
        break;
      }
      bytes_left_ -= std::min(bytes_left_, one.bytes);
      take_one(one);
      ++count;
      if (!go_on) break;
    }
    if (count > 0) {
      connection_.run(sql::queue_count_lane, queue, lane.priority, lane.shard, count, 0);
    }
    return go_on;
  }
  [[nodiscard]] bool is_full_of_bytes() const noexcept {
    return bytes_left_ == 0 && !claimed.work.empty();
  }

 private:
  struct Candidate {
    std::int64_t id;
    bool suspect;
    std::size_t bytes;
    std::optional<std::string> unique_key;
    JobStates unique_states;
  };

  std::vector<Candidate> candidates(std::string_view queue, const Lane& lane, std::size_t most) {
    std::vector<Candidate> found;
    Query query = connection_.query(sql::queue_lane_jobs, queue, lane.priority, lane.shard, most);
    while (query.next()) {
      found.push_back(
          {.id = query.integer(0),
           .suspect = query.integer(1) != 0,
           .bytes = static_cast<std::size_t>(query.integer(2)),
           .unique_key = query.optional_text(3),
           .unique_states = JobStates::from_bits(static_cast<std::uint8_t>(query.integer(4)))});
    }
    return found;
  }

  void take_one(const Candidate& one) {
    if (claim_ == 0) claim_ = draw(connection_, "claim", 1);
    const auto ordinal = static_cast<std::int64_t>(claimed.work.size());
    connection_.run(sql::queue_claim_job, one.id, worker_, claim_, ordinal, now_);
    if (one.unique_key && !one.unique_states.contains(JobState::running)) {
      connection_.run(sql::queue_let_key_go, *one.unique_key, one.id);
    }
    auto row = find_job(connection_, JobId{one.id});
    auto stored = std::make_shared<StoredJob>(std::move(row->stored));
    claimed.work.push_back({.token = {.work_id = one.id, .fence = {claim_, ordinal, worker_}},
                            .handler = stored->job.queue,
                            .job = stored,
                            .attempts = stored->attempts,
                            .suspect = one.suspect,
                            .published_at = stored->created_at});
  }

  Connection& connection_;
  const std::int64_t worker_;
  const Timestamp now_;
  std::size_t bytes_left_;
  std::int64_t claim_ = 0;
};

Claimed SqliteJobs::claim(const ClaimRequest& request) {
  if (request.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of a claim must be longer than zero",
                {.operation = "claim", .field = "lease"});
  }
  set_name(request.worker);
  // An idle process is known, too: it writes once.
  if (request.limit == 0 || (number() != 0 && !has_work(request))) return {};
  std::int64_t number = 0;
  Claimed claimed = database_.write("claim", [&](Connection& connection) {
    const Timestamp now = database_.now();
    number = alive(connection, request.worker);
    Taking taking{connection, number, now, options_.batch_bytes};
    const std::uint32_t first = turn_.fetch_add(1);
    for (std::size_t i = 0; i < request.handlers.size(); ++i) {
      const HandlerRoom& queue = request.handlers[(first + i) % request.handlers.size()];
      // It may have been paused, or emptied, since the look.
      if (!connection.query(sql::queue_has_work, queue.handler, now).next()) continue;
      static_cast<void>(promote_due(connection, queue.handler, now, first));
      const std::size_t before = taking.claimed.work.size();
      const SuspectPolicy suspects = before == 0 ? request.suspects : SuspectPolicy::leave;
      for (const Lane& lane : lanes_of(connection, queue.handler, suspects, now)) {
        const std::size_t taken = taking.claimed.work.size();
        const std::size_t most =
            std::min(queue.room - std::min(queue.room, taken - before), request.limit - taken);
        if (most == 0 || taking.is_full_of_bytes()) break;
        if (!taking.take(queue.handler, lane, most, suspects)) return std::move(taking.claimed);
      }
    }
    return std::move(taking.claimed);
  });
  set_number(number);
  return claimed;
}

std::vector<Verdict> SqliteJobs::extend(std::span<const Token> tokens, Duration lease) {
  static_cast<void>(lease);  // Whoever maintains the queue measures it.
  std::vector<Verdict> verdicts(tokens.size(), Verdict::lost);
  const std::int64_t number = this->number();
  if (number == 0) return verdicts;
  const bool lives = database_.write("extend", [&](Connection& connection) {
    connection.run(sql::queue_beat, number, database_.now());
    if (connection.changes() == 0) return false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const bool is_open = connection
                               .query(sql::queue_is_held, token.work_id, token.fence[0],
                                      token.fence[1], token.fence[2])
                               .next();
      if (is_open) verdicts[i] = Verdict::done;
    }
    return true;
  });
  if (!lives) {
    set_number(0);
    verdicts.assign(tokens.size(), Verdict::lost);
  }
  return verdicts;
}

bool SqliteJobs::is_called(const WorkerId& worker) {
  base::MutexLock lock(mutex_);
  return name_ == worker.value();
}

void SqliteJobs::set_name(const WorkerId& worker) {
  base::MutexLock lock(mutex_);
  name_ = worker.value();
}

void SqliteJobs::inherit(const WorkerId& former, const WorkerId& worker,
                         std::span<const Token> running) {
  // The number stays: it is this process's, whatever it calls itself. A call that is repeated, and
  // comes after the heir has claimed, takes nothing from it.
  const std::int64_t number = this->number();
  if (number == 0 || !is_called(former)) return;
  std::vector<Token> back;
  database_.read("inherit", [&](Connection& connection) {
    Query query = connection.query(sql::queue_held_by, number);
    while (query.next()) {
      const Token token{.work_id = query.integer(0),
                        .fence = {query.integer(1), query.integer(2), number}};
      if (std::ranges::find(running, token) == running.end()) back.push_back(token);
    }
    return true;
  });
  if (!back.empty()) static_cast<void>(release(back));
  set_name(worker);
}

void SqliteJobs::relinquish(const WorkerId& worker) {
  inherit(worker, worker, {});
  const std::int64_t number = this->number();
  if (number == 0) return;
  database_.write("relinquish", [&](Connection& connection) {
    connection.run(sql::queue_mark_dead, number, std::nullopt);
  });
  set_number(0);
}

std::unique_ptr<JobSource> SqliteQueue::source(JobSourceOptions options) {
  return std::make_unique<SqliteJobs>(database_, hints_, std::move(options));
}

}  // namespace penstock::sqlite::detail
