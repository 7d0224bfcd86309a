// The bus on SQLite. The verbs are in files of their own: publish, claim, takeover, finish, manage,
// list_query, statistics.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "base/mutex.hpp"
#include "penstock/bus_store.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/hints.hpp"

namespace penstock::sqlite::detail {

/// Whose turn it is: which handler has waited longest, and from which lane its next visit starts.
/// Only fairness hangs on it, so it is kept in memory.
class Turns {
 public:
  struct Turn {
    std::size_t place = 0;  ///< Of the handler in the request.
    std::int32_t first_lane = 0;
  };
  /// The handlers of a request that can take work, those served longest ago first.
  [[nodiscard]] std::vector<Turn> order(std::span<const HandlerRoom> handlers);
  void served(std::string_view handler, LaneId last_lane);

 private:
  struct Past {
    std::uint64_t served = 0;
    std::int32_t next_lane = 0;
  };
  base::Mutex mutex_;
  std::uint64_t clock_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Past, std::less<>> past_ PENSTOCK_GUARDED_BY(mutex_);
};

/// Thread-safe.
class SqliteBus final : public BusStore {
 public:
  explicit SqliteBus(SqliteStoreOptions options) : database_(std::move(options)) {}

  /// What the queue of the same file shares.
  [[nodiscard]] Database& database() noexcept { return database_; }
  [[nodiscard]] Hints& hints() noexcept { return hints_; }

  [[nodiscard]] Capabilities capabilities() const override;
  void setup(SetupMode mode) override;
  [[nodiscard]] std::unique_ptr<OwnedTransaction> begin() override { return database_.begin(); }
  [[nodiscard]] std::unique_ptr<Wakeup> listen() override;

  // publish.cpp
  std::vector<Published> publish(std::span<const Event> events,
                                 const Transaction* transaction) override;
  // claim.cpp
  [[nodiscard]] Claimed claim(const ClaimRequest& request) override;
  void relinquish(const WorkerId& worker) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;
  // finish.cpp
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  // manage.cpp
  void subscribe(const Subscription& subscription) override;
  [[nodiscard]] Verdict set_subscription_state(std::string_view handler,
                                               SubscriptionState state) override;
  [[nodiscard]] std::vector<Subscription> subscriptions() override;
  std::int64_t requeue(const Selection& selection) override;
  std::int64_t bury_selected(const Selection& selection, std::string_view reason) override;
  Purged purge(const Retention& retention, std::size_t limit) override;
  // list_query.cpp
  [[nodiscard]] DeliveryPage list(const ListQuery& query) override;
  // statistics.cpp
  [[nodiscard]] Statistics statistics() override;

 private:
  Database database_;
  Hints hints_;
  Turns turns_;
};

}  // namespace penstock::sqlite::detail
