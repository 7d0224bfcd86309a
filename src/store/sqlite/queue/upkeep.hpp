// The duties beside claiming, on SQLite: promote, rescue, purge. Any process does them; the file's
// write lock keeps them apart.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "penstock/queue_store.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/hints.hpp"

namespace penstock::sqlite::detail {

/// One thread at a time. `database` and `hints` outlive it.
class SqliteUpkeep final : public QueueMaintenance {
 public:
  SqliteUpkeep(Database& database, Hints& hints, MaintenanceOptions options)
      : database_(database), hints_(hints), options_(std::move(options)) {}

  Maintained step() override;
  Maintained step_all() override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Hurry { no, yes };

  [[nodiscard]] Time now() const;
  [[nodiscard]] bool is_due(Time& at, Duration every, Hurry hurry);
  Maintained step(Hurry hurry);
  /// How long until the next is due.
  [[nodiscard]] Duration promote(Maintained& done);
  void watch_workers();
  void rescue(Maintained& done);
  void purge(Maintained& done);

  Database& database_;
  Hints& hints_;
  const MaintenanceOptions options_;

  /// A beat, and since when it stands still.
  struct Seen {
    std::int64_t beat = 0;
    Time since{};
  };
  std::map<std::int64_t, Seen> workers_{};
  std::optional<Time> watched_at_{};
  Time watch_at_{};
  Time purge_at_{};
  std::uint32_t rotor_ = 0;
};

}  // namespace penstock::sqlite::detail
