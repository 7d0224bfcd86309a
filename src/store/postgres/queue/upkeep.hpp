// The duties beside claiming, on PostgreSQL: every process promotes; one at a time leads, and does
// the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "penstock/queue_store.hpp"
#include "store/postgres/database.hpp"

namespace penstock::postgres::detail {

/// One thread at a time. `database` outlives it.
class PostgresUpkeep final : public QueueMaintenance {
 public:
  PostgresUpkeep(Database& database, MaintenanceOptions options);
  ~PostgresUpkeep() override;

  Maintained step() override;
  Maintained step_all() override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  /// Whether what is not due yet is done too.
  enum class Hurry { no, yes };

  [[nodiscard]] Time now() const;
  /// Runs `duty`; one that is in another's way is passed by this time.
  void attempt(const std::function<void()>& duty);
  template <typename Work>
  auto call(std::string_view operation, Work&& work) {
    if (database_.is_pooled()) return database_.transact(operation, Effect::repeatable, work);
    return database_.call(operation, Effect::repeatable, work);
  }
  /// Whether `at` has come; then it is set to `every` from now.
  [[nodiscard]] bool is_due(Time& at, Duration every, Hurry hurry);

  // promote.cpp
  /// Until when nothing more will be due.
  [[nodiscard]] Duration promote(Maintained& done);
  void promote_queue(const std::string& queue, Maintained& done);

  // upkeep.cpp
  [[nodiscard]] bool lead();
  void lead_step(Hurry hurry, Maintained& done);
  void watch_workers();
  void rescue(Hurry hurry, Maintained& done);
  void tend_ring(Hurry hurry, Maintained& done);
  void empty_slot(int slot, Maintained& done);
  void look_for_stranded();
  void purge(Maintained& done);

  Database& database_;
  const MaintenanceOptions options_;
  base::Random random_;

  bool leads_ = false;
  Time lead_again_at_{};
  Time watch_at_{};
  Time rescue_at_{};
  Time thorough_at_{};
  Time prune_at_{};
  Time stranded_at_{};
  Time purge_at_{};

  /// A beat, and since when it stands still.
  struct Seen {
    std::int64_t beat = 0;
    Time since{};
  };
  std::map<std::int64_t, Seen> workers_{};
  std::optional<Time> watched_at_{};
  std::optional<Time> rotated_at_{};
  std::int64_t position_at_rotation_ = 0;
  std::map<std::int64_t, int> patience_{};  ///< Of lanes, in milliseconds.
};

}  // namespace penstock::postgres::detail
