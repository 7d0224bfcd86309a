// Enqueue: one statement for each chunk of jobs, all chunks in one transaction, ours or the
// caller's. A very large batch of plain jobs is copied.
#include <algorithm>
#include <chrono>

#include "store/postgres/bus/headers.hpp"
#include "store/postgres/queue/copy_jobs.hpp"
#include "store/postgres/queue/postgres_queue.hpp"
#include "store/postgres/sql.hpp"
#include "work/check_job.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::size_t kChunkJobs = 1'000;
constexpr std::size_t kChunkBytes = std::size_t{4} * 1024 * 1024;

/// The parameters of queue_enqueue.sql for some jobs.
class Chunk {
 public:
  void add(const NewJob& job) {
    queues_.emplace_back(job.queue);
    kinds_.emplace_back(job.kind);
    priorities_.push_back(static_cast<std::int16_t>(job.priority));
    keys_.emplace_back(job.key);
    payloads_.push_back({job.payload});
    const bool usual = job.content_type == "application/json";
    content_types_.push_back(usual ? std::nullopt
                                   : std::optional<std::string_view>(job.content_type));
    headers_.push_back(job.headers.empty() ? std::string() : headers_to_json(job.headers));
    run_ats_.push_back(job.run_at);
    deadlines_.push_back(job.deadline);
    max_attempts_.push_back(job.max_attempts);
    unique_keys_.emplace_back(job.unique_key);
    unique_states_.push_back(static_cast<std::int16_t>(job.unique_states.bits()));
  }

  [[nodiscard]] Result store(Connection& connection, std::int32_t rotor) const {
    std::vector<std::optional<Json>> headers;
    headers.reserve(headers_.size());
    for (const std::string& text : headers_) {
      headers.push_back(text.empty() ? std::nullopt : std::optional<Json>(Json{text}));
    }
    return connection.query(sql::queue_enqueue, queues_, kinds_, priorities_, keys_, payloads_,
                            content_types_, headers, run_ats_, deadlines_, max_attempts_,
                            unique_keys_, unique_states_, rotor);
  }

 private:
  std::vector<std::string_view> queues_;
  std::vector<std::string_view> kinds_;
  std::vector<std::int16_t> priorities_;
  std::vector<std::optional<std::string_view>> keys_;
  std::vector<Bytes> payloads_;
  std::vector<std::optional<std::string_view>> content_types_;
  std::vector<std::string> headers_;  ///< Empty: none.
  std::vector<std::optional<Timestamp>> run_ats_;
  std::vector<std::optional<Duration>> deadlines_;
  std::vector<std::int32_t> max_attempts_;
  std::vector<std::optional<std::string_view>> unique_keys_;
  std::vector<std::int16_t> unique_states_;
};

/// Which jobs follow one another in a chunk.
std::vector<std::span<const NewJob>> parts_of(std::span<const NewJob> jobs) {
  std::vector<std::span<const NewJob>> parts;
  std::size_t first = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    bytes += jobs[i].payload.size();
    if (i + 1 - first < kChunkJobs && bytes < kChunkBytes && i + 1 < jobs.size()) continue;
    parts.push_back(jobs.subspan(first, i + 1 - first));
    first = i + 1;
    bytes = 0;
  }
  return parts;
}

std::vector<Enqueued> store_part(Connection& connection, std::span<const NewJob> jobs,
                                 std::int32_t rotor) {
  Chunk chunk;
  for (const NewJob& job : jobs) chunk.add(job);
  std::vector<Enqueued> enqueued;
  enqueued.reserve(jobs.size());
  for (const Row row : chunk.store(connection, rotor)) {
    enqueued.push_back({.id = JobId{row.integer(1)}, .created = row.boolean(2)});
  }
  return enqueued;
}

}  // namespace

std::vector<Enqueued> PostgresQueue::enqueue(std::span<const NewJob> jobs,
                                             const Transaction* transaction) {
  work::check_jobs(jobs, database_.options().max_payload);
  if (jobs.empty()) return {};
  const bool is_copied = jobs.size() > kCopiedJobs && can_be_copied(jobs);
  const std::vector<std::span<const NewJob>> parts = is_copied ? std::vector{jobs} : parts_of(jobs);
  // Keyless jobs of one call go to one shard. Chunks that chose a free one each might differ, so
  // where there are several, the rotor decides alone: see queue_route.sql.
  const auto turn =
      static_cast<std::int32_t>(rotors_.next(jobs.front().queue, jobs.front().priority) & 0x7FFF);
  const std::int32_t rotor = parts.size() > 1 ? -1 - turn : turn;
  const auto enqueue_all = [&](Connection& connection) {
    if (is_copied) return copy_jobs(connection, jobs, rotor);
    std::vector<Enqueued> enqueued;
    for (const std::span<const NewJob> part : parts) {
      std::vector<Enqueued> some = store_part(connection, part, rotor);
      enqueued.insert(enqueued.end(), some.begin(), some.end());
    }
    return enqueued;
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "enqueue", enqueue_all);
  std::vector<Enqueued> enqueued = parts.size() == 1 && !is_copied
                                       ? database_.write("enqueue", enqueue_all)
                                       : database_.transact("enqueue", Effect::once, enqueue_all);
  database_.hints().raise();
  return enqueued;
}

}  // namespace penstock::postgres::detail
