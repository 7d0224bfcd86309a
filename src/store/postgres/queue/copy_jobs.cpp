// Large batches: room is made by a function, behind the locks that keep the order of commits, and
// the rows are copied.
#include "store/postgres/queue/copy_jobs.hpp"

#include <algorithm>

#include "store/postgres/bus/headers.hpp"
#include "store/postgres/copy.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {

bool can_be_copied(std::span<const NewJob> jobs) {
  return std::ranges::all_of(jobs,
                             [](const NewJob& job) { return !job.unique_key && !job.run_at; });
}

std::vector<Enqueued> copy_jobs(Connection& connection, std::span<const NewJob> jobs,
                                std::int32_t rotor) {
  std::vector<std::string_view> queues;
  std::vector<std::int16_t> priorities;
  std::vector<std::optional<std::string_view>> keys;
  for (const NewJob& job : jobs) {
    queues.emplace_back(job.queue);
    priorities.push_back(static_cast<std::int16_t>(job.priority));
    keys.emplace_back(job.key);
  }
  const Result reserved = connection.query(sql::queue_reserve, queues, priorities, keys, rotor);
  const Row room = reserved.only();
  const auto slot = static_cast<std::int16_t>(room.integer(0));
  const Timestamp now = room.time(1);
  const std::vector<std::int64_t> lanes = room.integers(2);
  const std::vector<std::int64_t> positions = room.integers(3);

  std::vector<Enqueued> enqueued;
  enqueued.reserve(jobs.size());
  CopyIn copy(connection, sql::queue_copy);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const NewJob& job = jobs[i];
    const std::int64_t position = positions.at(i);
    const std::string headers = job.headers.empty() ? std::string() : headers_to_json(job.headers);
    copy.add(
        position, static_cast<std::int32_t>(lanes.at(i)), slot, position, now, job.deadline,
        std::int32_t{0}, std::int32_t{job.max_attempts}, false, job.kind, job.key,
        job.content_type == "application/json" ? std::nullopt : std::optional(job.content_type),
        headers.empty() ? std::nullopt : std::optional(Json{headers}), Bytes{job.payload});
    enqueued.push_back({.id = JobId{position}});
  }
  copy.finish();
  return enqueued;
}

}  // namespace penstock::postgres::detail
