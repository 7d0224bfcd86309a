// Looking at jobs and queues.
#include <algorithm>

#include "penstock/error.hpp"
#include "store/postgres/bus/headers.hpp"
#include "store/postgres/queue/postgres_queue.hpp"
#include "store/postgres/queue/stored_job.hpp"
#include "store/postgres/sql.hpp"
#include "work/check_job.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::int64_t kCountedFast = 10'000;

std::optional<int> optional_int(const Row& row, int column) {
  const auto value = row.optional_integer(column);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

JobState state_of(std::string_view text) {
  // queue_find() says only that a job is deferred; whether it was tried tells the rest.
  const auto state = parse_job_state(text);
  if (!state) throw Error(ErrorKind::internal, "unknown state of a job: " + std::string(text));
  return *state;
}

JobInfo info_of(const Row& row, JobState state) {
  return {.id = JobId{row.integer(0)},
          .queue = std::string(row.text(1)),
          .kind = std::string(row.text(4)),
          .state = state,
          .priority = static_cast<int>(row.integer(2)),
          .shard = optional_int(row, 3),
          .key = row.optional_text(5),
          .unique_key = row.optional_text(6),
          .attempts = static_cast<int>(row.integer(7)),
          .max_attempts = static_cast<int>(row.integer(8)),
          .suspect = row.boolean(9),
          .run_at = row.time(10),
          .created_at = row.time(11),
          .at = row.time(12),
          .payload_bytes = static_cast<std::size_t>(row.optional_integer(13).value_or(0)),
          .last_error = row.optional_text(14).value_or("")};
}

/// Rows of queue_show.sql, by column.
namespace shown {
enum : int {
  state,
  queue,
  priority,
  shard,
  worker,
  at,
  id,
  run_at,
  created_at,
  deadline,
  attempt,
  max_attempts,
  unique_states,
  suspect,
  kind,
  key,
  unique_key,
  content_type,
  headers,
  job_state,
  payload,
};
}  // namespace shown

std::shared_ptr<const StoredJob> stored_job_of(const Row& row) {
  auto stored = std::make_shared<StoredJob>();
  stored->id = JobId{row.integer(shown::id)};
  stored->created_at = row.optional_time(shown::created_at).value_or(row.time(shown::run_at));
  stored->attempts = static_cast<int>(row.integer(shown::attempt));
  NewJob& job = stored->job;
  job.queue = row.text(shown::queue);
  job.kind = row.text(shown::kind);
  if (!row.is_null(shown::payload)) job.payload = row.bytes(shown::payload);
  job.priority = static_cast<int>(row.integer(shown::priority));
  job.key = row.optional_text(shown::key);
  job.run_at = row.time(shown::run_at);
  job.max_attempts = static_cast<int>(row.integer(shown::max_attempts));
  job.unique_key = row.optional_text(shown::unique_key);
  if (const auto bits = row.optional_integer(shown::unique_states)) {
    job.unique_states = JobStates::from_bits(static_cast<std::uint8_t>(*bits));
  }
  job.deadline = row.optional_duration(shown::deadline);
  job.content_type = row.optional_text(shown::content_type).value_or("application/json");
  if (!row.is_null(shown::headers)) job.headers = headers_from_json(row.text(shown::headers));
  if (!row.is_null(shown::job_state)) read_state(row.text(shown::job_state), *stored);
  return stored;
}

JobInfo info_of_shown(const Row& row) {
  const auto stored = stored_job_of(row);
  const NewJob& job = stored->job;
  return {.id = stored->id,
          .queue = job.queue,
          .kind = job.kind,
          .state = state_of(row.text(shown::state)),
          .priority = job.priority,
          .shard = optional_int(row, shown::shard),
          .key = job.key,
          .unique_key = job.unique_key,
          .attempts = stored->attempts,
          .max_attempts = job.max_attempts,
          .suspect = row.boolean(shown::suspect),
          .run_at = *job.run_at,
          .created_at = stored->created_at,
          .at = row.time(shown::at),
          .payload_bytes = job.payload.size(),
          .last_error = stored->errors.empty() ? std::string() : stored->errors.back().error,
          .job = stored};
}

}  // namespace

JobPage PostgresQueue::list(const JobQuery& query) {
  work::check_job_query(query);
  const auto limit = static_cast<std::int32_t>(query.limit);
  return database_.read_snapshot("list", [&](Connection& connection) {
    Parameters parameters;
    parameters.add(to_string(query.state));
    parameters.add(query.queue);
    parameters.add(query.kind);
    if (query.ids.empty()) {
      parameters.add_null_array<std::int64_t>();
    } else {
      std::vector<std::int64_t> ids;
      for (const JobId id : query.ids) ids.push_back(id.value);
      parameters.add(ids);
    }
    parameters.add(query.after.value);
    parameters.add(limit + 1);
    JobPage page;
    page.at = connection.query(sql::now).only().time(0);
    for (const Row row : connection.send(sql::queue_list, parameters)) {
      page.items.push_back(info_of(row, query.state));
    }
    if (page.items.size() > query.limit) {
      page.items.pop_back();
      page.next = page.items.back().id;
    }
    return page;
  });
}

std::optional<JobInfo> PostgresQueue::show(JobId id) {
  return database_.read_snapshot("show", [&](Connection& connection) -> std::optional<JobInfo> {
    const Result rows = connection.query(sql::queue_show, id.value);
    if (rows.empty()) return std::nullopt;
    JobInfo info = info_of_shown(rows[0]);
    const auto worker = rows[0].optional_integer(shown::worker);
    if (!worker) return info;
    for (const Row row : connection.query(sql::queue_workers)) {
      if (row.integer(0) == *worker) info.worker = std::string(row.text(1));
    }
    return info;
  });
}

QueueStatistics PostgresQueue::statistics(Counting counting) {
  std::optional<std::int64_t> most;
  if (counting == Counting::fast) most = kCountedFast;
  return database_.read_snapshot("statistics", [&](Connection& connection) {
    QueueStatistics statistics;
    statistics.at = connection.query(sql::now).only().time(0);
    for (const Row row : connection.query(sql::queue_settings)) {
      statistics.queues.push_back({.queue = std::string(row.text(0)),
                                   .shards = static_cast<int>(row.integer(1)),
                                   .paused = row.boolean(2)});
    }
    for (const Row row : connection.query(sql::queue_counts, most)) {
      const std::string queue(row.text(0));
      const int priority = static_cast<int>(row.integer(1));
      if (row.is_null(2)) {
        statistics.aside.push_back({.queue = queue,
                                    .priority = priority,
                                    .scheduled = row.integer(7),
                                    .retrying = row.integer(8),
                                    .dead = row.integer(9)});
      } else {
        statistics.lanes.push_back({.queue = queue,
                                    .priority = priority,
                                    .shard = static_cast<int>(row.integer(2)),
                                    .waiting = row.integer(3),
                                    .running = row.integer(4),
                                    .claimed = row.integer(5),
                                    .completed = row.integer(6)});
      }
    }
    for (const Row row : connection.query(sql::queue_workers)) {
      statistics.workers.push_back({.name = std::string(row.text(1)),
                                    .alive = !row.boolean(3),
                                    .started_at = row.time(4),
                                    .beat_at = row.time(5)});
    }
    std::ranges::sort(statistics.lanes, {}, [](const LaneCounts& lane) {
      return std::tuple(lane.queue, lane.priority, lane.shard);
    });
    std::ranges::sort(statistics.aside, {}, [](const AsideCounts& aside) {
      return std::tuple(aside.queue, aside.priority);
    });
    return statistics;
  });
}

}  // namespace penstock::postgres::detail
