// Where one dispatcher gets jobs from SQLite, and says how they ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/queue_store.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/hints.hpp"
#include "store/sqlite/queue/job_rows.hpp"

namespace penstock::sqlite::detail {

/// One worker of the queue: a row in penstock_queue_workers. Thread-safe.
class SqliteJobs final : public JobSource {
 public:
  SqliteJobs(Database& database, Hints& hints, JobSourceOptions options)
      : database_(database), hints_(hints), options_(std::move(options)) {}

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
  struct Lane;
  class Taking;

  [[nodiscard]] bool has_work(const ClaimRequest& request);
  /// The worker's number, alive; registers one where there is none. In a write transaction.
  [[nodiscard]] std::int64_t alive(Connection& connection, const WorkerId& worker);
  [[nodiscard]] std::vector<Lane> lanes_of(Connection& connection, std::string_view queue,
                                           SuspectPolicy suspects, Timestamp now) const;
  [[nodiscard]] std::int64_t number();
  /// Under which name this worker claimed last.
  [[nodiscard]] bool is_called(const WorkerId& worker);
  void set_name(const WorkerId& worker);
  void set_number(std::int64_t number);
  /// Ends each attempt that is open by `end(connection, row, place)`.
  template <typename End>
  std::vector<Verdict> end_each(std::string_view operation, std::span<const Token> tokens, End end);
  [[nodiscard]] Change change() const {
    return {.now = database_.now(), .keep_history = database_.options().completion_history};
  }

  Database& database_;
  Hints& hints_;
  const JobSourceOptions options_;
  std::atomic<std::uint32_t> turn_{0};
  base::Mutex mutex_;
  std::int64_t number_ PENSTOCK_GUARDED_BY(mutex_) = 0;  ///< 0: not registered.
  std::string name_ PENSTOCK_GUARDED_BY(mutex_);
};

}  // namespace penstock::sqlite::detail
