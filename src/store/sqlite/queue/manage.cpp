// What of the queue is no verb, and what an operator does.
#include <algorithm>

#include "penstock/error.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/queue/job_rows.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/wakeup.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"

namespace penstock::sqlite::detail {
namespace {

// Others want to write in between.
constexpr std::size_t kAtOnce = 1'000;

bool has_ended(const JobRow& row) {
  return row.state == "dead" || row.state == "completed" || row.state == "cancelled";
}

std::optional<std::string> json_of_ids(const std::vector<JobId>& ids) {
  if (ids.empty()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const JobId id : ids) numbers.push_back(id.value);
  return json_of(numbers);
}

std::vector<JobId> find_dead(Connection& connection, const DeadSelection& selection,
                             std::size_t limit) {
  std::vector<JobId> found;
  Query query = connection.query(sql::queue_find_dead, selection.queue, selection.kind,
                                 json_of_ids(selection.ids), 0, limit);
  while (query.next()) found.push_back(JobId{query.integer(0)});
  return found;
}

}  // namespace

Capabilities SqliteQueue::capabilities() const {
  return {.store = "sqlite",
          .max_payload = database_.options().max_payload,
          .durable = true,
          .several_processes = true,
          .completion_history = database_.options().completion_history,
          .borrowed_transactions = true};
}

void SqliteQueue::setup(SetupMode mode) {
  if (mode == SetupMode::check) {
    database_.check();
  } else {
    database_.create();
  }
}

std::unique_ptr<Wakeup> SqliteQueue::listen() {
  return std::make_unique<FileWakeup>(database_, hints_);
}

void SqliteQueue::set_shards(std::string_view queue, int shards) {
  work::check_queue_name(queue);
  work::check_shards(shards);
  database_.write("set shards", [&](Connection& connection) {
    connection.run(sql::queue_set_shards, queue, shards);
  });
}

void SqliteQueue::set_paused(std::string_view queue, bool paused) {
  work::check_queue_name(queue);
  database_.write("pause", [&](Connection& connection) {
    connection.run(sql::queue_set_paused, queue, paused);
  });
  if (!paused) hints_.signal();
}

/// Calls `act(connection, row)` for each job that has not ended; it says whether it did anything.
template <typename Act>
std::vector<Verdict> act_on_each(Database& database, std::string_view operation,
                                 std::span<const JobId> ids, Act act) {
  std::vector<Verdict> verdicts(ids.size(), Verdict::lost);
  for (std::size_t first = 0; first < ids.size(); first += kAtOnce) {
    const std::size_t end = std::min(ids.size(), first + kAtOnce);
    database.write(operation, [&](Connection& connection) {
      for (std::size_t i = first; i < end; ++i) {
        const std::optional<JobRow> row = find_job(connection, ids[i]);
        if (row && !has_ended(*row) && act(connection, *row)) verdicts[i] = Verdict::done;
      }
    });
  }
  return verdicts;
}

std::vector<Verdict> SqliteQueue::cancel(std::span<const JobId> ids) {
  const Change how{.now = database_.now(), .keep_history = database_.options().completion_history};
  auto verdicts =
      act_on_each(database_, "cancel", ids, [&](Connection& connection, const JobRow& row) {
        end_job(connection, row, JobState::cancelled, how);
        return true;
      });
  hints_.signal();
  return verdicts;
}

std::vector<Verdict> SqliteQueue::bury(std::span<const JobId> ids, std::string_view reason) {
  const Change how{.now = database_.now()};
  const std::string text = work::error_text(reason);
  auto verdicts =
      act_on_each(database_, "bury", ids, [&](Connection& connection, const JobRow& row) {
        bury_job(connection, row, text, row.state == "running", how);
        return true;
      });
  hints_.signal();
  return verdicts;
}

std::vector<Verdict> SqliteQueue::move(std::span<const JobId> ids, const Destination& to) {
  work::check_destination(to);
  const Timestamp now = database_.now();
  auto verdicts =
      act_on_each(database_, "move", ids, [&](Connection& connection, const JobRow& row) {
        if (row.state == "running") return false;
        const NewJob& job = row.stored.job;
        const std::string queue = to.queue.value_or(job.queue);
        const int priority = to.priority.value_or(job.priority);
        if (queue == job.queue && priority == job.priority) return false;
        // One that was routed by its key stays with its neighbours as far as the width lets it.
        std::optional<int> shard;
        if (job.key && row.shard) shard = *row.shard % shards_of(connection, queue);
        connection.run(sql::queue_move_job, row.stored.id.value, queue, priority, shard, now);
        return true;
      });
  hints_.signal();
  return verdicts;
}

std::vector<JobId> SqliteQueue::requeue(const DeadSelection& selection, std::size_t limit) {
  work::check_dead_selection(selection);
  const Timestamp now = database_.now();
  std::vector<JobId> requeued = database_.write("requeue", [&](Connection& connection) {
    std::vector<JobId> done;
    for (const JobId id : find_dead(connection, selection, limit)) {
      std::optional<JobRow> row = find_job(connection, id);
      const NewJob& job = row->stored.job;
      if (job.unique_key) {
        connection.run(sql::queue_take_key, *job.unique_key, id.value,
                       int{job.unique_states.bits()});
        Query holder = connection.query(sql::queue_key_holder, *job.unique_key);
        if (!holder.next() || holder.integer(0) != id.value) continue;
        holder.run();
        connection.run(sql::queue_keep_key, *job.unique_key, id.value, std::optional<Timestamp>{});
      }
      row->stored.attempts = 0;
      put_back(connection, *row, {.run_at = now, .suspect = row->suspect}, {.now = now});
      done.push_back(id);
    }
    return done;
  });
  hints_.signal();
  return requeued;
}

std::int64_t SqliteQueue::purge_dead(const DeadSelection& selection, std::size_t limit) {
  work::check_dead_selection(selection);
  return database_.write("purge dead", [&](Connection& connection) {
    std::int64_t purged = 0;
    for (const JobId id : find_dead(connection, selection, limit)) {
      const std::optional<JobRow> row = find_job(connection, id);
      if (const auto& key = row->stored.job.unique_key) {
        connection.run(sql::queue_let_key_go, *key, id.value);
      }
      connection.run(sql::queue_delete_job, id.value);
      ++purged;
    }
    return purged;
  });
}

}  // namespace penstock::sqlite::detail
