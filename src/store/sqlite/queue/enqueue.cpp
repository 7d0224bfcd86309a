// Enqueue: job by job with prepared statements, in one transaction, ours or the caller's.
#include <sqlite3.h>

#include <functional>
#include <map>
#include <utility>

#include "store/sqlite/json.hpp"
#include "store/sqlite/keep_last_row.hpp"
#include "store/sqlite/queue/job_rows.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check_job.hpp"
#include "work/lane_hash.hpp"

namespace penstock::sqlite::detail {
namespace {

/// Chooses lanes for the jobs of one call, and makes them known.
class Router {
 public:
  /// `rotor(queue, priority)` is asked once for each.
  using Rotor = std::function<std::uint32_t(std::string_view, int)>;
  Router(Connection& connection, Rotor rotor) : connection_(connection), rotor_(std::move(rotor)) {}

  int shard_for(std::string_view queue, int priority, const std::optional<std::string>& key) {
    auto [width, is_new] = widths_.try_emplace(std::string(queue), 1);
    if (is_new) width->second = shards_of(connection_, queue);
    const int shard =
        key ? work::shard_of(*key, width->second) : rotor_shard(queue, priority, width->second);
    return open(queue, priority, shard);
  }
  int open(std::string_view queue, int priority, int shard) {
    const auto [lane, is_new] = opened_.try_emplace({std::string(queue), priority, shard}, true);
    if (is_new) connection_.run(sql::queue_open_lane, queue, priority, shard);
    return shard;
  }

 private:
  int rotor_shard(std::string_view queue, int priority, int width) {
    const auto [turn, is_new] = turns_.try_emplace({std::string(queue), priority}, 0U);
    if (is_new) turn->second = rotor_(queue, priority);
    return static_cast<int>(turn->second % static_cast<std::uint32_t>(width));
  }

  Connection& connection_;
  const Rotor rotor_;
  std::map<std::pair<std::string, int>, std::uint32_t> turns_;
  std::map<std::string, int> widths_;
  std::map<std::tuple<std::string, int, int>, bool> opened_;
};

class Enqueuer {
 public:
  Enqueuer(Connection& connection, Timestamp now, std::size_t jobs, Router::Rotor rotor)
      : connection_(connection),
        now_(now),
        router_(connection, std::move(rotor)),
        position_(draw(connection, "position", jobs)) {}

  Enqueued enqueue(const NewJob& job) {
    if (job.unique_key) {
      Query holder = connection_.query(sql::queue_key_holder, *job.unique_key);
      if (holder.next()) return {.id = JobId{holder.integer(0)}, .created = false};
    }
    const bool is_later = job.run_at && *job.run_at > now_;
    std::optional<int> shard;
    std::optional<std::int64_t> position;
    if (!is_later) {
      shard = router_.shard_for(job.queue, job.priority, job.key);
      position = position_++;
    }
    std::optional<std::int64_t> deadline;
    if (job.deadline) deadline = job.deadline->count();
    connection_.run(sql::queue_insert_job, is_later ? "deferred" : "ready", job.queue, job.kind,
                    job.priority, shard, position, job.key, job.unique_key,
                    int{job.unique_states.bits()}, job.max_attempts, job.run_at.value_or(now_),
                    now_, deadline, job.content_type, headers_to_json(job.headers),
                    Blob{job.payload});
    const JobId id{sqlite3_last_insert_rowid(connection_.handle())};
    if (job.unique_key) {
      connection_.run(sql::queue_take_key, *job.unique_key, id.value,
                      int{job.unique_states.bits()});
    }
    return {.id = id};
  }

 private:
  Connection& connection_;
  const Timestamp now_;
  Router router_;
  std::int64_t position_;
};

constexpr std::size_t kPromotedAtOnce = 1'000;

}  // namespace

std::vector<Enqueued> SqliteQueue::enqueue(std::span<const NewJob> jobs,
                                           const Transaction* transaction) {
  work::check_jobs(jobs, database_.options().max_payload);
  if (jobs.empty()) return {};
  const Router::Rotor rotor = [this](std::string_view queue, int priority) {
    return rotors_.next(queue, priority);
  };
  const auto enqueue_all = [&](Connection& connection) {
    const KeepLastRow keep{connection};
    Enqueuer enqueuer{connection, database_.now(), jobs.size(), rotor};
    std::vector<Enqueued> enqueued;
    enqueued.reserve(jobs.size());
    for (const NewJob& job : jobs) enqueued.push_back(enqueuer.enqueue(job));
    return enqueued;
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "enqueue", enqueue_all);
  std::vector<Enqueued> enqueued = database_.write("enqueue", enqueue_all);
  hints_.signal();
  return enqueued;
}

std::int64_t promote_due(Connection& connection, std::string_view queue, Timestamp now,
                         std::uint32_t rotor) {
  struct Due {
    std::int64_t id;
    int priority;
    std::optional<std::int64_t> shard;
    std::optional<std::string> key;
  };
  std::vector<Due> due;
  {
    Query query = connection.query(sql::queue_due_jobs, queue, now, kPromotedAtOnce);
    while (query.next()) {
      due.push_back({query.integer(0), static_cast<int>(query.integer(1)),
                     query.optional_integer(2), query.optional_text(3)});
    }
  }
  if (due.empty()) return 0;
  Router router{connection, [rotor](std::string_view, int) { return rotor; }};
  std::int64_t position = draw(connection, "position", due.size());
  for (const Due& one : due) {
    // What came out of a lane by a crash or a release goes back there, whatever the width is now.
    const int shard = one.shard ? router.open(queue, one.priority, static_cast<int>(*one.shard))
                                : router.shard_for(queue, one.priority, one.key);
    connection.run(sql::queue_promote_job, one.id, shard, position++, now);
  }
  return static_cast<std::int64_t>(due.size());
}

}  // namespace penstock::sqlite::detail
