// The ends of attempts: one call each for a whole batch; the server says which tokens held.
#include <algorithm>

#include "base/mutant.hpp"
#include "penstock/error.hpp"
#include "store/postgres/queue/job_source.hpp"
#include "store/postgres/queue/job_tokens.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"
#include "work/check_job.hpp"

namespace penstock::postgres::detail {

std::vector<Verdict> PostgresJobs::complete(std::span<const Token> tokens,
                                            const Transaction* transaction) {
  if (transaction != nullptr) {
    work::refuse("transaction", "a job is completed in no transaction of its handler's");
  }
  std::vector<Verdict> verdicts(tokens.size(), Verdict::lost);
  if (tokens.empty()) return verdicts;
  std::vector<std::int64_t> numbers;
  for (const Token& token : tokens) numbers.push_back(worker_of(token));
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  for (const std::int64_t number : numbers) complete_of(number, tokens, verdicts);
  open_.ended(tokens);
  return verdicts;
}

void PostgresJobs::complete_of(std::int64_t number, std::span<const Token> tokens,
                               std::vector<Verdict>& verdicts) {
  const auto workers = by_worker(tokens);
  const auto found = workers.find(number);
  if (found == workers.end()) return;
  const JobTokens& ours = found->second;
  const OrdinalRanges ranges = ours.ranges();
  std::vector<Ending> again;
  std::vector<std::size_t> again_places;
  call("complete", Effect::once, [&](Connection& connection) {
    again.clear();
    again_places.clear();
    const Result rows = connection.query(sql::queue_complete, number, ranges.claims, ranges.from,
                                         ranges.to, database_.options().completion_history);
    for (const Row row : rows) {
      const std::int64_t claim = row.integer(0);
      const std::vector<std::int64_t> from = row.integers(1);
      const std::vector<std::int64_t> to = row.integers(2);
      for (std::size_t k = 0; k < from.size(); ++k) {
        for (std::int64_t ordinal = from[k]; ordinal < to[k]; ++ordinal) {
          const auto at = ours.places().find({claim, static_cast<std::int32_t>(ordinal)});
          if (at != ours.places().end()) verdicts[at->second] = Verdict::done;
        }
      }
      if (!row.boolean(3)) continue;
      for (auto at = ours.places().lower_bound({claim, 0});
           at != ours.places().end() && at->first.first == claim; ++at) {
        again.push_back({.token = tokens[at->second], .outcome = Outcome::completed});
        again_places.push_back(at->second);
      }
    }
  });
  // Another call was at these claims: this time it is waited for.
  if (again.empty()) return;
  const std::vector<Verdict> waited = finish("complete", again);
  for (std::size_t i = 0; i < waited.size(); ++i) verdicts[again_places[i]] = waited[i];
}

std::vector<Verdict> PostgresJobs::finish(std::string_view operation,
                                          std::span<const Ending> endings) {
  std::vector<Verdict> verdicts(endings.size(), Verdict::lost);
  std::map<std::int64_t, std::vector<std::size_t>> workers;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    workers[worker_of(endings[i].token)].push_back(i);
  }
  for (const auto& [number, places] : workers) {
    std::vector<std::int64_t> claims;
    std::vector<std::int32_t> ordinals;
    std::vector<std::int16_t> outcomes;
    std::vector<Duration> delays;
    std::vector<std::string> errors;
    std::vector<std::optional<Json>> progress(places.size());
    for (const std::size_t place : places) {
      const Ending& ending = endings[place];
      const std::int64_t ordinal =
          std::clamp<std::int64_t>(ordinal_of(ending.token), -1, INT32_MAX);
      claims.push_back(claim_of(ending.token));
      ordinals.push_back(static_cast<std::int32_t>(ordinal));
      outcomes.push_back(static_cast<std::int16_t>(ending.outcome));
      delays.push_back(ending.delay);
      errors.push_back(ending.error);
    }
    call(operation, Effect::once, [&](Connection& connection) {
      for (const Row row :
           connection.query(sql::queue_finish, number, claims, ordinals, outcomes, delays, errors,
                            progress, true, database_.options().completion_history)) {
        verdicts[places.at(static_cast<std::size_t>(row.integer(0) - 1))] = Verdict::done;
      }
    });
  }
  std::vector<Token> ended;
  for (const Ending& ending : endings) ended.push_back(ending.token);
  open_.ended(ended);
  return verdicts;
}

std::vector<Verdict> PostgresJobs::reschedule(std::span<const Reschedule> items) {
  std::vector<Ending> endings;
  for (const Reschedule& item : items) {
    endings.push_back(
        {.token = item.token,
         .outcome = item.charge == Charge::charge ? Outcome::retried : Outcome::snoozed,
         .delay = std::max(item.delay, Duration::zero()),
         .error = work::error_text(item.error)});
  }
  return finish("reschedule", endings);
}

std::vector<Verdict> PostgresJobs::bury(std::span<const Bury> items) {
  std::vector<Ending> endings;
  for (const Bury& item : items) {
    endings.push_back(
        {.token = item.token, .outcome = Outcome::buried, .error = work::error_text(item.reason)});
  }
  return finish("bury", endings);
}

std::vector<Verdict> PostgresJobs::release(std::span<const Token> tokens) {
  std::vector<Ending> endings;
  for (const Token& token : tokens) endings.push_back({.token = token});
  return finish("release", endings);
}

Verdict PostgresJobs::save_progress(const Token& token, std::string_view json) {
  work::check_progress(json);
  const std::int64_t ordinal = ordinal_of(token);
  if (ordinal < 0 || ordinal > INT32_MAX) return Verdict::lost;
  const bool open = call("save progress", Effect::repeatable, [&](Connection& connection) {
    return connection
        .query(sql::queue_save_progress, worker_of(token), claim_of(token),
               static_cast<std::int32_t>(ordinal), Json{json})
        .only()
        .boolean(0);
  });
  return open ? Verdict::done : Verdict::lost;
}

}  // namespace penstock::postgres::detail
