// Where one dispatcher gets jobs from PostgreSQL, and says how they ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/random.hpp"
#include "penstock/queue_store.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/queue/open_claims.hpp"

namespace penstock::postgres::detail {

/// One worker of the queue: a row in queue_workers with a number that is never used again.
///
/// Thread-safe. No lock is held during a call to the server.
class PostgresJobs final : public JobSource {
 public:
  PostgresJobs(Database& database, Demand& demand, JobSourceOptions options);

  // job_source.cpp
  [[nodiscard]] Claimed claim(const ClaimRequest& request) override;
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  void relinquish(const WorkerId& worker) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;
  // job_ends.cpp
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  [[nodiscard]] Verdict save_progress(const Token& token, std::string_view json) override;

 private:
  using Steady = std::chrono::steady_clock;
  /// What `queue_finish` calls the ends of attempts.
  enum class Outcome : std::int16_t {
    completed,
    retried,
    snoozed,
    buried,
    cancelled,
    rescued,
    released
  };
  struct Ending {
    Token token{};
    Outcome outcome = Outcome::released;
    Duration delay{0};
    std::string error{};
  };
  struct Unreadable {
    Token token{};
    std::string reason{};
  };

  /// Runs `work(connection)`, one statement, under READ COMMITTED whatever the default is.
  template <typename Work>
  auto call(std::string_view operation, Effect effect, Work&& work) {
    if (database_.is_pooled()) return database_.transact(operation, effect, work);
    return database_.call(operation, effect, work);
  }

  /// The number of this worker, registered; draws a new one where it was given up.
  [[nodiscard]] std::int64_t registered(const WorkerId& worker);
  /// Says that this worker lives; false: it was given up, and everything it held is lost.
  [[nodiscard]] bool beat(std::int64_t number);
  void given_up(std::int64_t number);
  [[nodiscard]] std::int64_t number();
  /// Under which name this worker claimed last.
  [[nodiscard]] bool is_called(const WorkerId& worker);
  void set_name(const WorkerId& worker);
  [[nodiscard]] bool beat_is_old(Duration lease);
  /// Keeps what was claimed only where this worker still counts.
  void confirm(std::int64_t number, Claimed& claimed);

  /// Claims from one queue and reads what was claimed into `claimed`; false: this worker was given
  /// up.
  [[nodiscard]] bool claim_from(std::string_view queue, std::size_t room,
                                const ClaimRequest& request, std::int64_t number, Claimed& claimed);
  struct Batch;
  [[nodiscard]] Batch take(std::string_view queue, std::size_t room, SuspectPolicy suspects,
                           std::int64_t number, std::optional<std::int64_t> base);
  void read_bodies(std::string_view queue, std::int64_t number, Batch& batch);
  void bury_unreadable(std::span<const Unreadable> unreadable);

  void complete_of(std::int64_t number, std::span<const Token> tokens,
                   std::vector<Verdict>& verdicts);
  [[nodiscard]] std::vector<Verdict> finish(std::string_view operation,
                                            std::span<const Ending> endings);

  Database& database_;
  Demand& demand_;
  const JobSourceOptions options_;
  OpenClaims open_;
  std::atomic<std::size_t> turn_{0};

  base::Mutex mutex_;
  base::Random random_ PENSTOCK_GUARDED_BY(mutex_);
  std::int64_t number_ PENSTOCK_GUARDED_BY(mutex_) = 0;  ///< 0: not registered.
  std::string name_ PENSTOCK_GUARDED_BY(mutex_);
  Steady::time_point last_beat_ PENSTOCK_GUARDED_BY(mutex_){};
};

}  // namespace penstock::postgres::detail
