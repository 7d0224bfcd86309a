// Claiming and keeping: which numbers are ours, when we last said that we live, and the rows of a
// claim turned into work.
#include "store/postgres/queue/job_source.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/say.hpp"
#include "penstock/error.hpp"
#include "store/postgres/bus/headers.hpp"
#include "store/postgres/queue/job_tokens.hpp"
#include "store/postgres/queue/postgres_queue.hpp"
#include "store/postgres/queue/stored_job.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::size_t kLargestBatch = 10'000;

/// Rows of queue_bodies.sql, by column.
namespace column {
enum : int {
  claim,
  ordinal,
  seq,
  id,
  kind,
  key,
  run_at,
  created_at,
  deadline,
  attempt,
  max_attempts,
  suspect,
  unique_key,
  content_type,
  headers,
  state,
  payload,
};
}  // namespace column

std::int64_t random_number() {
  std::int64_t number = 0;
  while (number <= 0) {
    std::array<std::uint8_t, sizeof(number)> bytes{};
    base::system_random(bytes);
    std::memcpy(&number, bytes.data(), bytes.size());
    number &= INT64_MAX;
  }
  return number;
}

/// What stands around a job whatever becomes of reading it.
Work work_of(const Row& row, std::string_view queue, std::int64_t number) {
  return {.token = job_token(row.integer(column::id), row.integer(column::claim),
                             row.integer(column::ordinal), number),
          .handler = std::string(queue),
          .attempts = static_cast<int>(row.integer(column::attempt)),
          .suspect = row.boolean(column::suspect),
          .published_at = row.time(column::created_at)};
}

std::shared_ptr<const StoredJob> job_of(const Row& row, std::string_view queue, int priority) {
  auto stored = std::make_shared<StoredJob>();
  stored->id = JobId{row.integer(column::id)};
  stored->created_at = row.time(column::created_at);
  stored->attempts = static_cast<int>(row.integer(column::attempt));
  NewJob& job = stored->job;
  job.queue = queue;
  job.kind = row.text(column::kind);
  job.priority = priority;
  job.key = row.optional_text(column::key);
  job.run_at = row.time(column::run_at);
  job.deadline = row.optional_duration(column::deadline);
  job.max_attempts = static_cast<int>(row.integer(column::max_attempts));
  job.unique_key = row.optional_text(column::unique_key);
  job.content_type = row.text(column::content_type);
  job.headers = headers_from_json(row.text(column::headers));
  job.payload = row.bytes(column::payload);
  if (!row.is_null(column::state)) read_state(row.text(column::state), *stored);
  return stored;
}

}  // namespace

/// One claim of one queue.
struct PostgresJobs::Batch {
  struct Claim {
    int priority = 0;
    std::size_t turn = 0;  ///< In the order of the visit.
  };
  std::optional<std::int64_t> base{};
  std::int64_t next_base = 0;
  bool suspects_wait = false;
  bool lives = true;
  std::map<std::int64_t, Claim> claims{};
  std::vector<Work> work{};
  std::vector<Unreadable> unreadable{};
};

PostgresJobs::PostgresJobs(Database& database, Demand& demand, JobSourceOptions options)
    : database_(database), demand_(demand), options_(std::move(options)) {}

std::int64_t PostgresJobs::number() {
  base::MutexLock lock(mutex_);
  return number_;
}

std::int64_t PostgresJobs::registered(const WorkerId& worker) {
  if (const std::int64_t known = number(); known != 0) return known;
  const auto began = Steady::now();
  for (;;) {
    const std::int64_t drawn = random_number();
    // Repeated after a lost answer it finds its own row, and draws another number.
    const bool is_new = database_.call("register", Effect::repeatable, [&](Connection& connection) {
      return connection.query(sql::queue_register, drawn, worker.value()).only().boolean(0);
    });
    if (!is_new) continue;
    base::MutexLock lock(mutex_);
    // Another thread may have been quicker; the row of ours then stays until it is swept.
    if (number_ == 0) {
      number_ = drawn;
      last_beat_ = began;
    }
    return number_;
  }
}

void PostgresJobs::given_up(std::int64_t number) {
  {
    base::MutexLock lock(mutex_);
    if (number_ != number) return;
    number_ = 0;
  }
  open_.forget();
}

bool PostgresJobs::beat(std::int64_t number) {
  const auto began = Steady::now();
  const std::int64_t oldest = open_.oldest_open();
  const bool lives = call("extend", Effect::repeatable, [&](Connection& connection) {
    return connection.query(sql::queue_beat, number, oldest).only().boolean(0);
  });
  if (!lives) {
    given_up(number);
    return false;
  }
  base::MutexLock lock(mutex_);
  if (number_ == number) last_beat_ = std::max(last_beat_, began);
  return true;
}

bool PostgresJobs::beat_is_old(Duration lease) {
  base::MutexLock lock(mutex_);
  return Steady::now() - last_beat_ > lease / 2;
}

Claimed PostgresJobs::claim(const ClaimRequest& request) {
  if (request.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of a claim must be longer than zero",
                {.operation = "claim", .field = "lease"});
  }
  set_name(request.worker);
  std::int64_t number = registered(request.worker);
  // Nothing may begin on the strength of a beat that others may hold for stale soon.
  if (beat_is_old(request.lease) && !beat(number)) number = registered(request.worker);

  Claimed claimed;
  const std::size_t queues = request.handlers.size();
  const std::size_t first = queues == 0 ? 0 : turn_.fetch_add(1) % queues;
  for (std::size_t i = 0; i < queues && claimed.work.size() < request.limit; ++i) {
    const HandlerRoom& queue = request.handlers[(first + i) % queues];
    const std::size_t room =
        std::min({queue.room, request.limit - claimed.work.size(), kLargestBatch});
    if (room > 0 && !claim_from(queue.handler, room, request, number, claimed)) {
      // Given up meanwhile, and so is all that it held, what this call has found included.
      given_up(number);
      claimed.work.clear();
      number = registered(request.worker);
      static_cast<void>(claim_from(queue.handler, room, request, number, claimed));
    }
    const bool is_suspect = !claimed.work.empty() && claimed.work.back().suspect;
    if (is_suspect) break;  // It runs alone.
  }
  if (!claimed.work.empty() && beat_is_old(request.lease)) confirm(number, claimed);
  const Found found = claimed.work.size() >= request.limit ? Found::full_batch
                      : claimed.work.empty()               ? Found::nothing
                                                           : Found::some;
  claimed.next_due_in = demand_.claim_ended(found, Steady::now());
  return claimed;
}

// The answer came late: others may hold this worker for dead by now, and run the same jobs.
void PostgresJobs::confirm(std::int64_t number, Claimed& claimed) {
  try {
    if (!beat(number)) claimed.work.clear();
  } catch (const Error& error) {
    throw Error(
        ErrorKind::in_doubt,
        std::string("jobs were claimed, and whether this worker still counts is unknown: ") +
            error.what(),
        {.operation = "claim", .store_code = error.store_code()});
  }
}

bool PostgresJobs::claim_from(std::string_view queue, std::size_t room, const ClaimRequest& request,
                              std::int64_t number, Claimed& claimed) {
  const SuspectPolicy suspects = claimed.work.empty() ? request.suspects : SuspectPolicy::leave;
  const std::optional<std::int64_t> base = open_.begin_claim();
  Batch batch;
  try {
    batch = take(queue, room, suspects, number, base);
    read_bodies(queue, number, batch);
  } catch (const Error& error) {
    open_.claim_lost(base);
    // What was found before stays with the caller; what this call took comes back by itself.
    if (!claimed.work.empty()) return true;
    throw;
  }
  open_.claim_ended(base, batch.next_base, batch.work);
  claimed.suspects_wait = claimed.suspects_wait || batch.suspects_wait;
  std::ranges::move(batch.work, std::back_inserter(claimed.work));
  bury_unreadable(batch.unreadable);
  return batch.lives;
}

PostgresJobs::Batch PostgresJobs::take(std::string_view queue, std::size_t room,
                                       SuspectPolicy suspects, std::int64_t number,
                                       std::optional<std::int64_t> base) {
  return call("claim", Effect::once, [&](Connection& connection) {
    const Result rows = connection.query(
        sql::queue_claim, number, queue, static_cast<std::int32_t>(room), options_.batch_bytes,
        options_.ageing, suspects == SuspectPolicy::take_alone, base);
    Batch batch;
    for (const Row row : rows) {
      if (row.is_null(0)) {
        batch.next_base = row.integer(6);
        batch.suspects_wait = row.boolean(7);
        batch.lives = row.boolean(8);
      } else {
        batch.claims.try_emplace(
            row.integer(0), Batch::Claim{static_cast<int>(row.integer(2)), batch.claims.size()});
      }
    }
    batch.base =
        base ? *base : (batch.claims.empty() ? base : std::optional(batch.claims.begin()->first));
    return batch;
  });
}

// The claim has committed: who cannot read what it took must not believe that it took nothing.
void PostgresJobs::read_bodies(std::string_view queue, std::int64_t number, Batch& batch) {
  if (batch.claims.empty()) return;
  struct Body {
    std::size_t turn;
    std::int64_t ordinal;
    Work work;
  };
  std::vector<Body> found;
  try {
    database_.read("claim", [&](Connection& connection) {
      found.clear();
      batch.unreadable.clear();
      for (const Row row : connection.query(sql::queue_bodies, number, *batch.base)) {
        const auto claim = batch.claims.find(row.integer(column::claim));
        if (claim == batch.claims.end()) continue;
        Work work = work_of(row, queue, number);
        try {
          work.job = job_of(row, queue, claim->second.priority);
        } catch (const Error& error) {
          batch.unreadable.push_back({work.token, error.what()});
          continue;
        }
        found.push_back({claim->second.turn, row.integer(column::ordinal), std::move(work)});
      }
    });
  } catch (const Error& error) {
    throw Error(ErrorKind::in_doubt,
                std::string("jobs were claimed and could not be read: ") + error.what(),
                {.operation = "claim", .store_code = error.store_code()});
  }
  std::ranges::sort(found, [](const Body& a, const Body& b) {
    return std::pair(a.turn, a.ordinal) < std::pair(b.turn, b.ordinal);
  });
  for (Body& one : found) batch.work.push_back(std::move(one.work));
}

void PostgresJobs::bury_unreadable(std::span<const Unreadable> unreadable) {
  if (unreadable.empty()) return;
  std::vector<Bury> damaged;
  for (const Unreadable& one : unreadable) {
    damaged.push_back({.token = one.token, .reason = "the job cannot be read: " + one.reason});
  }
  try {
    static_cast<void>(bury(damaged));
  } catch (const Error& error) {
    // They are not among what this process holds: after its next beat they are given back, and met
    // again. What was claimed beside them must not be lost with them.
    base::say_store_error(options_.log, "bury", error, 0);
  }
}

std::vector<Verdict> PostgresJobs::extend(std::span<const Token> tokens, Duration lease) {
  static_cast<void>(lease);  // Whoever maintains the queue measures it.
  std::vector<Verdict> verdicts(tokens.size(), Verdict::lost);
  const std::int64_t number = this->number();
  if (number == 0 || !beat(number)) return verdicts;
  const auto workers = by_worker(tokens);
  const auto ours = workers.find(number);
  if (ours == workers.end()) return verdicts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (worker_of(tokens[i]) == number) verdicts[i] = Verdict::done;
  }
  const OrdinalRanges ranges = ours->second.ranges();
  std::vector<Token> lost;
  database_.read("extend", [&](Connection& connection) {
    for (const Row row :
         connection.query(sql::queue_lost, number, ranges.claims, ranges.from, ranges.to)) {
      const std::vector<std::int64_t> from = row.integers(1);
      const std::vector<std::int64_t> to = row.integers(2);
      for (std::size_t k = 0; k < from.size(); ++k) {
        for (std::int64_t ordinal = from[k]; ordinal < to[k]; ++ordinal) {
          lost.push_back(job_token(0, row.integer(0), ordinal, number));
        }
      }
    }
  });
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_lost = std::ranges::any_of(
        lost, [&](const Token& token) { return token.fence == tokens[i].fence; });
    if (is_lost) verdicts[i] = Verdict::lost;
  }
  open_.ended(lost);
  return verdicts;
}

bool PostgresJobs::is_called(const WorkerId& worker) {
  base::MutexLock lock(mutex_);
  return name_ == worker.value();
}

void PostgresJobs::set_name(const WorkerId& worker) {
  base::MutexLock lock(mutex_);
  name_ = worker.value();
}

void PostgresJobs::inherit(const WorkerId& former, const WorkerId& worker,
                           std::span<const Token> running) {
  // The number stays: it is this process's, whatever it calls itself. A call that is repeated, and
  // comes after the heir has claimed, takes nothing from it.
  const std::int64_t number = this->number();
  if (number == 0 || !is_called(former)) return;
  std::vector<Token> back = open_.all_but(running);
  const std::vector<std::int64_t> bases = open_.take_lost();
  try {
    for (const std::int64_t base : bases) {
      database_.read("inherit", [&](Connection& connection) {
        for (const Row row : connection.query(sql::queue_bodies, number, base)) {
          back.push_back(job_token(row.integer(column::id), row.integer(column::claim),
                                   row.integer(column::ordinal), number));
        }
      });
    }
    if (!back.empty()) static_cast<void>(release(back));
  } catch (...) {
    open_.put_back_lost(bases);
    throw;
  }
  set_name(worker);
}

void PostgresJobs::relinquish(const WorkerId& worker) {
  inherit(worker, worker, {});
  const std::int64_t number = this->number();
  if (number == 0) return;
  database_.call("relinquish", Effect::repeatable, [&](Connection& connection) {
    static_cast<void>(connection.run(sql::queue_leave, number));
  });
  given_up(number);
}

std::unique_ptr<JobSource> PostgresQueue::source(JobSourceOptions options) {
  return std::make_unique<PostgresJobs>(database_, demand_, std::move(options));
}

}  // namespace penstock::postgres::detail
