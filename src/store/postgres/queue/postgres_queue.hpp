// The queue on PostgreSQL. The verbs are in files of their own: enqueue, job_source, manage,
// listing, upkeep. What they do is in SQL; here it is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/queue_store.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/demand.hpp"
#include "work/rotors.hpp"

namespace penstock::postgres::detail {

/// Thread-safe. `database` outlives it.
class PostgresQueue final : public QueueStore {
 public:
  explicit PostgresQueue(Database& database) : database_(database) {}

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
  [[nodiscard]] std::vector<Verdict> end_early(std::string_view operation,
                                               std::span<const JobId> ids,
                                               const std::optional<std::string>& reason);
  [[nodiscard]] std::vector<std::int64_t> find_dead(const DeadSelection& selection,
                                                    std::int64_t after, std::size_t limit);
  /// Calls `act(ids)`, which says how many it took, until `limit` are taken.
  template <typename Act>
  void for_dead(const DeadSelection& selection, std::size_t limit, Act act);

  Database& database_;
  Demand demand_;
  work::Rotors rotors_;
};

}  // namespace penstock::postgres::detail
