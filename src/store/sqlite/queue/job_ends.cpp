// The ends of attempts: each token is asked for in the transaction that ends it.
#include <map>
#include <tuple>

#include "penstock/error.hpp"
#include "store/sqlite/queue/job_source.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"
#include "work/due_time.hpp"

namespace penstock::sqlite::detail {

std::vector<Verdict> SqliteJobs::complete(std::span<const Token> tokens,
                                          const Transaction* transaction) {
  if (transaction != nullptr) {
    work::refuse("transaction", "a job is completed in no transaction of its handler's");
  }
  std::vector<Verdict> verdicts(tokens.size(), Verdict::lost);
  if (tokens.empty()) return verdicts;
  const Change how = change();
  return database_.write("complete", [&](Connection& connection) {
    std::map<std::tuple<std::string, int, int>, std::int64_t> lanes;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      std::optional<std::string> key;
      JobStates states;
      {
        Query query = connection.query(sql::queue_is_held, token.work_id, token.fence[0],
                                       token.fence[1], token.fence[2]);
        if (!query.next()) continue;
        ++lanes[{std::string(query.text(0)), static_cast<int>(query.integer(1)),
                 static_cast<int>(query.integer(2))}];
        key = query.optional_text(3);
        states = JobStates::from_bits(static_cast<std::uint8_t>(query.integer(4)));
      }
      if (how.keep_history) {
        end_job(connection, *find_held(connection, token), JobState::completed, how);
      } else {
        connection.run(sql::queue_delete_job, token.work_id);
        settle_key(connection, key, JobId{token.work_id}, states, JobState::completed, how.now);
      }
      verdicts[i] = Verdict::done;
    }
    for (const auto& [lane, count] : lanes) {
      const auto& [queue, priority, shard] = lane;
      connection.run(sql::queue_count_lane, queue, priority, shard, 0, count);
    }
    return verdicts;
  });
}

template <typename End>
std::vector<Verdict> SqliteJobs::end_each(std::string_view operation, std::span<const Token> tokens,
                                          End end) {
  std::vector<Verdict> verdicts(tokens.size(), Verdict::lost);
  if (tokens.empty()) return verdicts;
  const Change how = change();
  verdicts = database_.write(operation, [&](Connection& connection) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::optional<JobRow> row = find_held(connection, tokens[i]);
      if (!row) continue;
      end(connection, *row, i, how);
      verdicts[i] = Verdict::done;
    }
    return verdicts;
  });
  hints_.signal();
  return verdicts;
}

std::vector<Verdict> SqliteJobs::reschedule(std::span<const Reschedule> items) {
  std::vector<Token> tokens;
  for (const Reschedule& item : items) tokens.push_back(item.token);
  return end_each("reschedule", tokens,
                  [&](Connection& connection, const JobRow& row, std::size_t i, const Change& how) {
                    put_back(connection, row,
                             {.run_at = work::due_after(how.now, items[i].delay),
                              .charge = items[i].charge == Charge::charge,
                              .error = work::error_text(items[i].error)},
                             how);
                  });
}

std::vector<Verdict> SqliteJobs::bury(std::span<const Bury> items) {
  std::vector<Token> tokens;
  for (const Bury& item : items) tokens.push_back(item.token);
  return end_each("bury", tokens,
                  [&](Connection& connection, JobRow row, std::size_t i, const Change& how) {
                    row.suspect = false;
                    bury_job(connection, row, work::error_text(items[i].reason), true, how);
                  });
}

std::vector<Verdict> SqliteJobs::release(std::span<const Token> tokens) {
  return end_each("release", tokens,
                  [](Connection& connection, const JobRow& row, std::size_t, const Change& how) {
                    put_back(connection, row,
                             {.shard = row.shard, .run_at = how.now, .suspect = row.suspect}, how);
                  });
}

Verdict SqliteJobs::save_progress(const Token& token, std::string_view json) {
  work::check_progress(json);
  return database_.write("save progress", [&](Connection& connection) {
    connection.run(sql::queue_save_progress, token.work_id, token.fence[0], token.fence[1],
                   token.fence[2], json);
    return connection.changes() > 0 ? Verdict::done : Verdict::lost;
  });
}

}  // namespace penstock::sqlite::detail
