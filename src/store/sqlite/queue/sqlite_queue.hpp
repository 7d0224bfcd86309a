// The queue on SQLite. The verbs are in files of their own: enqueue, job_source, job_ends, manage,
// listing, upkeep.
#pragma once

#include <cstdint>

#include "penstock/queue_store.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/hints.hpp"
#include "work/rotors.hpp"

namespace penstock::sqlite::detail {

/// Thread-safe. `database` and `hints` outlive it.
class SqliteQueue final : public QueueStore {
 public:
  SqliteQueue(Database& database, Hints& hints) : database_(database), hints_(hints) {}

  [[nodiscard]] Capabilities capabilities() const override;
  void setup(SetupMode mode) override;
  [[nodiscard]] std::unique_ptr<Wakeup> listen() override;

  // enqueue.cpp
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs,
                                const Transaction* transaction) override;
  // job_source.cpp
  [[nodiscard]] std::unique_ptr<JobSource> source(JobSourceOptions options) override;
  // upkeep.cpp
  [[nodiscard]] std::unique_ptr<QueueMaintenance> maintenance(MaintenanceOptions options) override;
  // manage.cpp
  void set_shards(std::string_view queue, int shards) override;
  void set_paused(std::string_view queue, bool paused) override;
  [[nodiscard]] std::vector<Verdict> cancel(std::span<const JobId> ids) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const JobId> ids,
                                          std::string_view reason) override;
  [[nodiscard]] std::vector<Verdict> move(std::span<const JobId> ids,
                                          const Destination& to) override;
  std::vector<JobId> requeue(const DeadSelection& selection, std::size_t limit) override;
  std::int64_t purge_dead(const DeadSelection& selection, std::size_t limit) override;
  // listing.cpp
  [[nodiscard]] JobPage list(const JobQuery& query) override;
  [[nodiscard]] std::optional<JobInfo> show(JobId id) override;
  [[nodiscard]] QueueStatistics statistics(Counting counting) override;

 private:
  Database& database_;
  Hints& hints_;
  work::Rotors rotors_;
};

/// Appends due jobs of `queue` to their lanes; says how many. In a write transaction.
[[nodiscard]] std::int64_t promote_due(Connection& connection, std::string_view queue,
                                       Timestamp now, std::uint32_t rotor);

}  // namespace penstock::sqlite::detail
