// Rows of jobs.
#include "store/sqlite/queue/job_rows.hpp"

#include <nlohmann/json.hpp>

#include "base/invariant.hpp"
#include "penstock/error.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr std::size_t kErrorsKept = 20;

/// Columns of queue_job.sql and queue_held.sql.
namespace column {
enum : int {
  id,
  state,
  queue,
  kind,
  priority,
  shard,
  key,
  unique_key,
  unique_states,
  attempts,
  max_attempts,
  suspect,
  run_at,
  created_at,
  at,
  deadline,
  worker,
  claim,
  ordinal,
  content_type,
  headers,
  progress,
  errors,
  payload,
};
}  // namespace column

std::optional<int> optional_int(const Query& query, int column) {
  const auto value = query.optional_integer(column);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

JobRow read_row(const Query& query) {
  JobRow row{.state = std::string(query.text(column::state)),
             .shard = optional_int(query, column::shard),
             .suspect = query.integer(column::suspect) != 0,
             .at = query.time(column::at),
             .worker = query.optional_integer(column::worker),
             .claim = query.optional_integer(column::claim).value_or(0),
             .ordinal = query.optional_integer(column::ordinal).value_or(0)};
  StoredJob& stored = row.stored;
  stored.id = JobId{query.integer(column::id)};
  stored.created_at = query.time(column::created_at);
  stored.attempts = static_cast<int>(query.integer(column::attempts));
  stored.progress = query.text(column::progress);
  stored.errors = errors_of(query.text(column::errors));
  NewJob& job = stored.job;
  job.queue = query.text(column::queue);
  job.kind = query.text(column::kind);
  job.payload = query.blob(column::payload);
  job.priority = static_cast<int>(query.integer(column::priority));
  job.key = query.optional_text(column::key);
  job.run_at = query.time(column::run_at);
  job.max_attempts = static_cast<int>(query.integer(column::max_attempts));
  job.unique_key = query.optional_text(column::unique_key);
  job.unique_states =
      JobStates::from_bits(static_cast<std::uint8_t>(query.integer(column::unique_states)));
  if (const auto deadline = query.optional_integer(column::deadline)) {
    job.deadline = Duration{*deadline};
  }
  job.content_type = query.text(column::content_type);
  job.headers = headers_from_json(query.text(column::headers));
  return row;
}

std::string errors_json(const std::vector<AttemptError>& errors) {
  return json_array(errors, [](std::string& json, const AttemptError& one) {
    json += "[" + std::to_string(one.attempt) + "," +
            std::to_string(one.at.time_since_epoch().count()) + ",";
    append_json(json, one.error);
    json += "]";
  });
}

std::string with_error(const JobRow& row, std::string_view error, int attempt, Timestamp now) {
  std::vector<AttemptError> errors = row.stored.errors;
  if (!error.empty()) {
    errors.push_back({.attempt = attempt, .at = now, .error = std::string(error)});
    if (errors.size() > kErrorsKept) errors.erase(errors.begin());
  }
  return errors_json(errors);
}

}  // namespace

JobState job_state_of(std::string_view state, int attempts) {
  if (state == "deferred") return attempts == 0 ? JobState::scheduled : JobState::retrying;
  const auto known = parse_job_state(state);
  PENSTOCK_INVARIANT(known.has_value());
  return *known;
}

JobState JobRow::job_state() const { return job_state_of(state, stored.attempts); }

std::vector<AttemptError> errors_of(std::string_view json) {
  if (json == "[]") return {};
  std::vector<AttemptError> errors;
  try {
    for (const auto& one : nlohmann::json::parse(json)) {
      errors.push_back({.attempt = one.at(0).get<int>(),
                        .at = Timestamp{Duration{one.at(1).get<std::int64_t>()}},
                        .error = one.at(2).get<std::string>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::internal, "the stored errors of a job cannot be read");
  }
  return errors;
}

std::optional<JobRow> find_job(Connection& connection, JobId id) {
  Query query = connection.query(sql::queue_job, id.value);
  if (!query.next()) return std::nullopt;
  return read_row(query);
}

std::optional<JobRow> find_held(Connection& connection, const Token& token) {
  Query query = connection.query(sql::queue_held, token.work_id, token.fence[0], token.fence[1],
                                 token.fence[2]);
  if (!query.next()) return std::nullopt;
  return read_row(query);
}

std::int64_t draw(Connection& connection, std::string_view counter, std::size_t count) {
  Query query = connection.query(sql::queue_draw, counter, count);
  PENSTOCK_INVARIANT(query.next());
  const std::int64_t last = query.integer(0);
  query.run();
  return last - static_cast<std::int64_t>(count) + 1;
}

int shards_of(Connection& connection, std::string_view queue) {
  Query query = connection.query(sql::queue_settings, queue);
  return query.next() ? static_cast<int>(query.integer(0)) : 1;
}

void settle_key(Connection& connection, const std::optional<std::string>& key, JobId id,
                JobStates states, JobState state, Timestamp now) {
  if (!key) return;
  if (states.contains(state)) {
    connection.run(sql::queue_keep_key, *key, id.value, std::optional(now));
  } else {
    connection.run(sql::queue_let_key_go, *key, id.value);
  }
}

void bury_job(Connection& connection, const JobRow& row, std::string_view reason, bool charge,
              const Change& change) {
  const int attempts = row.stored.attempts + (charge ? 1 : 0);
  connection.run(sql::queue_end_job, row.stored.id.value, to_string(JobState::dead), change.now,
                 attempts, row.suspect, with_error(row, reason, attempts, change.now));
  settle_key(connection, row.stored.job.unique_key, row.stored.id, row.stored.job.unique_states,
             JobState::dead, change.now);
}

void end_job(Connection& connection, const JobRow& row, JobState state, const Change& change) {
  if (change.keep_history) {
    connection.run(sql::queue_end_job, row.stored.id.value, to_string(state), change.now,
                   row.stored.attempts, row.suspect, errors_json(row.stored.errors));
  } else {
    connection.run(sql::queue_delete_job, row.stored.id.value);
  }
  settle_key(connection, row.stored.job.unique_key, row.stored.id, row.stored.job.unique_states,
             state, change.now);
}

void put_back(Connection& connection, const JobRow& row, const PutBack& how, const Change& change) {
  const int attempts = row.stored.attempts + (how.charge ? 1 : 0);
  connection.run(sql::queue_put_back, row.stored.id.value, how.shard, how.run_at, attempts,
                 how.suspect, with_error(row, how.error, row.stored.attempts + 1, change.now),
                 change.now);
  // It gave its key up while it ran; where another took it meanwhile, this one goes on without.
  const NewJob& job = row.stored.job;
  if (!job.unique_key || job.unique_states.contains(JobState::running)) return;
  connection.run(sql::queue_take_key, *job.unique_key, row.stored.id.value,
                 int{job.unique_states.bits()});
}

}  // namespace penstock::sqlite::detail
