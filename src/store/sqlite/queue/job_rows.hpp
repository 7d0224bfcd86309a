// The rows of penstock_jobs: reading them, and the few moves between states that every verb is made
// of. Each runs in the write transaction of its caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/queue_store.hpp"
#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

/// One job as it is stored.
struct JobRow {
  std::string state{};  ///< As in the table.
  std::optional<int> shard{};
  bool suspect = false;
  Timestamp at{};
  std::optional<std::int64_t> worker{};
  std::int64_t claim = 0;
  std::int64_t ordinal = 0;
  StoredJob stored{};

  [[nodiscard]] JobState job_state() const;
};

/// `deferred` is scheduled or retrying.
[[nodiscard]] JobState job_state_of(std::string_view state, int attempts);
[[nodiscard]] std::vector<AttemptError> errors_of(std::string_view json);

[[nodiscard]] std::optional<JobRow> find_job(Connection& connection, JobId id);
/// The job behind a token whose attempt is open.
[[nodiscard]] std::optional<JobRow> find_held(Connection& connection, const Token& token);

/// Draws `count` numbers; the first of them.
[[nodiscard]] std::int64_t draw(Connection& connection, std::string_view counter,
                                std::size_t count);
[[nodiscard]] int shards_of(Connection& connection, std::string_view queue);

/// How an attempt, or a job that waits, is ended or put back.
struct Change {
  Timestamp now{};
  bool keep_history = false;
};

/// To the dead letters; charged where `charge`.
void bury_job(Connection& connection, const JobRow& row, std::string_view reason, bool charge,
              const Change& change);
/// Ended for good; kept only as history.
void end_job(Connection& connection, const JobRow& row, JobState state, const Change& change);

struct PutBack {
  std::optional<int> shard{};  ///< The lane it must return to.
  Timestamp run_at{};
  bool charge = false;
  bool suspect = false;
  std::string error{};
};
void put_back(Connection& connection, const JobRow& row, const PutBack& how, const Change& change);

/// What becomes of a unique key when its job ends in `state`.
void settle_key(Connection& connection, const std::optional<std::string>& key, JobId id,
                JobStates states, JobState state, Timestamp now);

}  // namespace penstock::sqlite::detail
