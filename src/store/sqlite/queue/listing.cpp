// Looking at jobs and queues, in one snapshot each.
#include <algorithm>

#include "store/sqlite/json.hpp"
#include "store/sqlite/queue/job_rows.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check_job.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr std::int64_t kCountedFast = 10'000;
constexpr std::int64_t kCountedExactly = INT64_MAX;

std::optional<int> optional_int(const Query& query, int column) {
  const auto value = query.optional_integer(column);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

JobInfo info_of(const Query& query, JobState state) {
  const std::vector<AttemptError> errors = errors_of(query.text(14));
  return {
      .id = JobId{query.integer(0)},
      .queue = std::string(query.text(1)),
      .kind = std::string(query.text(2)),
      .state = state,
      .priority = static_cast<int>(query.integer(3)),
      .shard = optional_int(query, 4),
      .key = query.optional_text(5),
      .unique_key = query.optional_text(6),
      .attempts = static_cast<int>(query.integer(7)),
      .max_attempts = static_cast<int>(query.integer(8)),
      .suspect = query.integer(9) != 0,
      .run_at = query.time(10),
      .created_at = query.time(11),
      .at = state == JobState::ready || state == JobState::scheduled || state == JobState::retrying
                ? query.time(10)
                : query.time(12),
      .payload_bytes = static_cast<std::size_t>(query.integer(13)),
      .last_error = errors.empty() ? std::string() : errors.back().error};
}

JobInfo info_of(const JobRow& row) {
  const StoredJob& stored = row.stored;
  const NewJob& job = stored.job;
  const JobState state = row.job_state();
  const bool waits =
      state == JobState::ready || state == JobState::scheduled || state == JobState::retrying;
  return {.id = stored.id,
          .queue = job.queue,
          .kind = job.kind,
          .state = state,
          .priority = job.priority,
          .shard = row.shard,
          .key = job.key,
          .unique_key = job.unique_key,
          .attempts = stored.attempts,
          .max_attempts = job.max_attempts,
          .suspect = row.suspect,
          .run_at = *job.run_at,
          .created_at = stored.created_at,
          .at = waits ? *job.run_at : row.at,
          .payload_bytes = job.payload.size(),
          .last_error = stored.errors.empty() ? std::string() : stored.errors.back().error,
          .job = std::make_shared<const StoredJob>(stored)};
}

}  // namespace

JobPage SqliteQueue::list(const JobQuery& query) {
  work::check_job_query(query);
  std::optional<std::string> ids;
  if (!query.ids.empty()) {
    std::vector<std::int64_t> numbers;
    for (const JobId id : query.ids) numbers.push_back(id.value);
    ids = json_of(numbers);
  }
  return database_.read("list", [&](Connection& connection) {
    JobPage page{.at = database_.now()};
    Query rows = connection.query(sql::queue_list_jobs, to_string(query.state), query.queue,
                                  query.kind, ids, query.after.value, query.limit + 1);
    while (rows.next()) page.items.push_back(info_of(rows, query.state));
    if (page.items.size() > query.limit) {
      page.items.pop_back();
      page.next = page.items.back().id;
    }
    return page;
  });
}

std::optional<JobInfo> SqliteQueue::show(JobId id) {
  return database_.read("show", [&](Connection& connection) -> std::optional<JobInfo> {
    const std::optional<JobRow> row = find_job(connection, id);
    if (!row) return std::nullopt;
    JobInfo info = info_of(*row);
    if (!row->worker) return info;
    Query workers = connection.query(sql::queue_workers);
    while (workers.next()) {
      if (workers.integer(0) == *row->worker) info.worker = std::string(workers.text(1));
    }
    return info;
  });
}

QueueStatistics SqliteQueue::statistics(Counting counting) {
  const std::int64_t most = counting == Counting::fast ? kCountedFast : kCountedExactly;
  return database_.read("statistics", [&](Connection& connection) {
    QueueStatistics statistics{.at = database_.now()};
    Query settings = connection.query(sql::queue_all_settings);
    while (settings.next()) {
      statistics.queues.push_back({.queue = std::string(settings.text(0)),
                                   .shards = static_cast<int>(settings.integer(1)),
                                   .paused = settings.integer(2) != 0});
    }
    Query lanes = connection.query(sql::queue_lane_counts, most);
    while (lanes.next()) {
      statistics.lanes.push_back({.queue = std::string(lanes.text(0)),
                                  .priority = static_cast<int>(lanes.integer(1)),
                                  .shard = static_cast<int>(lanes.integer(2)),
                                  .waiting = lanes.integer(3),
                                  .running = lanes.integer(4),
                                  .claimed = lanes.integer(5),
                                  .completed = lanes.integer(6)});
    }
    Query aside = connection.query(sql::queue_aside_counts);
    while (aside.next()) {
      statistics.aside.push_back({.queue = std::string(aside.text(0)),
                                  .priority = static_cast<int>(aside.integer(1)),
                                  .scheduled = aside.integer(2),
                                  .retrying = aside.integer(3),
                                  .dead = aside.integer(4)});
    }
    Query workers = connection.query(sql::queue_workers);
    while (workers.next()) {
      statistics.workers.push_back({.name = std::string(workers.text(1)),
                                    .alive = workers.integer(3) == 0,
                                    .started_at = workers.time(4),
                                    .beat_at = workers.time(5)});
    }
    return statistics;
  });
}

}  // namespace penstock::sqlite::detail
