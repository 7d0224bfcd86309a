// What an operator does to queues and jobs.
#include <algorithm>
#include <map>

#include "store/postgres/queue/postgres_queue.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"

namespace penstock::postgres::detail {
namespace {

// Lanes whose jobs are taken out are not claimed from meanwhile, so not for long.
constexpr std::size_t kAtOnce = 100;
constexpr std::size_t kDeadAtOnce = 1'000;

std::vector<std::int64_t> numbers_of(std::span<const JobId> ids) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(ids.size());
  for (const JobId id : ids) numbers.push_back(id.value);
  return numbers;
}

/// Calls `act(ids)`, which answers with those that it acted on, for a bounded part at a time.
template <typename Act>
std::vector<Verdict> for_each_part(std::span<const JobId> ids, Act act) {
  std::vector<Verdict> verdicts(ids.size(), Verdict::lost);
  for (std::size_t first = 0; first < ids.size(); first += kAtOnce) {
    const auto part = ids.subspan(first, std::min(kAtOnce, ids.size() - first));
    std::vector<std::int64_t> done = act(numbers_of(part));
    for (std::size_t i = 0; i < part.size(); ++i) {
      // A doubled id counts once.
      const auto found = std::ranges::find(done, part[i].value);
      if (found == done.end()) continue;
      verdicts[first + i] = Verdict::done;
      done.erase(found);
    }
  }
  return verdicts;
}

std::vector<std::int64_t> first_column(const Result& rows) {
  std::vector<std::int64_t> numbers;
  for (const Row row : rows) numbers.push_back(row.integer(0));
  return numbers;
}

}  // namespace

void PostgresQueue::set_shards(std::string_view queue, int shards) {
  work::check_queue_name(queue);
  work::check_shards(shards);
  database_.call("set shards", Effect::repeatable, [&](Connection& connection) {
    static_cast<void>(
        connection.run(sql::queue_set_shards, queue, static_cast<std::int16_t>(shards)));
  });
}

void PostgresQueue::set_paused(std::string_view queue, bool paused) {
  work::check_queue_name(queue);
  database_.call("pause", Effect::repeatable, [&](Connection& connection) {
    static_cast<void>(connection.query(sql::queue_set_paused, queue, paused));
  });
  if (!paused) database_.hints().raise();
}

std::vector<Verdict> PostgresQueue::end_early(std::string_view operation,
                                              std::span<const JobId> ids,
                                              const std::optional<std::string>& reason) {
  std::vector<Verdict> verdicts = for_each_part(ids, [&](const std::vector<std::int64_t>& numbers) {
    return database_.transact(operation, Effect::once, [&](Connection& connection) {
      return first_column(connection.query(sql::queue_cancel, numbers,
                                           database_.options().completion_history, reason));
    });
  });
  database_.hints().raise();
  return verdicts;
}

std::vector<Verdict> PostgresQueue::cancel(std::span<const JobId> ids) {
  return end_early("cancel", ids, std::nullopt);
}

std::vector<Verdict> PostgresQueue::bury(std::span<const JobId> ids, std::string_view reason) {
  return end_early("bury", ids, work::error_text(reason));
}

std::vector<Verdict> PostgresQueue::move(std::span<const JobId> ids, const Destination& to) {
  work::check_destination(to);
  std::optional<std::int16_t> priority;
  if (to.priority) priority = static_cast<std::int16_t>(*to.priority);
  std::vector<Verdict> verdicts = for_each_part(ids, [&](const std::vector<std::int64_t>& numbers) {
    return database_.transact("move", Effect::once, [&](Connection& connection) {
      return first_column(connection.query(sql::queue_move, numbers, to.queue, priority));
    });
  });
  database_.hints().raise();
  return verdicts;
}

std::vector<std::int64_t> PostgresQueue::find_dead(const DeadSelection& selection,
                                                   std::int64_t after, std::size_t limit) {
  std::optional<std::vector<std::int64_t>> ids;
  if (!selection.ids.empty()) ids = numbers_of(selection.ids);
  return database_.read("find dead", [&](Connection& connection) {
    Parameters parameters;
    if (ids) {
      parameters.add(*ids);
    } else {
      parameters.add_null_array<std::int64_t>();
    }
    parameters.add(selection.queue);
    parameters.add(selection.kind);
    parameters.add(after);
    parameters.add(static_cast<std::int64_t>(limit));
    return first_column(connection.send(sql::queue_find_dead, parameters));
  });
}

template <typename Act>
void PostgresQueue::for_dead(const DeadSelection& selection, std::size_t limit, Act act) {
  work::check_dead_selection(selection);
  std::int64_t after = 0;
  std::size_t left = limit;
  while (left > 0) {
    const std::vector<std::int64_t> ids = find_dead(selection, after, std::min(left, kDeadAtOnce));
    if (ids.empty()) return;
    after = ids.back();
    left -= std::min<std::size_t>(left, act(ids));
  }
}

std::vector<JobId> PostgresQueue::requeue(const DeadSelection& selection, std::size_t limit) {
  std::vector<JobId> requeued;
  for_dead(selection, limit, [&](const std::vector<std::int64_t>& ids) {
    const std::vector<std::int64_t> done =
        database_.transact("requeue", Effect::once, [&](Connection& connection) {
          return first_column(connection.query(sql::queue_requeue, ids));
        });
    for (const std::int64_t id : done) requeued.push_back(JobId{id});
    return done.size();
  });
  std::ranges::sort(requeued);
  database_.hints().raise();
  return requeued;
}

std::int64_t PostgresQueue::purge_dead(const DeadSelection& selection, std::size_t limit) {
  std::int64_t purged = 0;
  for_dead(selection, limit, [&](const std::vector<std::int64_t>& ids) {
    const std::int64_t done =
        database_.transact("purge dead", Effect::once, [&](Connection& connection) {
          return connection
              .query(sql::queue_purge_dead, ids, Duration::zero(),
                     static_cast<std::int32_t>(ids.size()))
              .only()
              .integer(0);
        });
    purged += done;
    return static_cast<std::size_t>(done);
  });
  return purged;
}

}  // namespace penstock::postgres::detail
