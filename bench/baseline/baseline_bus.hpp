// The bus on the tables of 0.1.0. A token holds two UUIDs: the id of the delivery, and the
// lease_token of its row, drawn for each claim.
#pragma once

#include "penstock/bus_store.hpp"
#include "store/postgres/database.hpp"

namespace penstock::bench {

/// Where the tables are, by the user's URL. Throws: usage.
[[nodiscard]] PostgresStoreOptions baseline_options(const std::string& url);

/// Thread-safe. `database` outlives it.
class BaselineBus final : public BusStore {
 public:
  explicit BaselineBus(postgres::detail::Database& database) : database_(database) {}

  [[nodiscard]] Capabilities capabilities() const override;
  /// Checks that the tables are there.
  void setup(SetupMode mode) override;
  [[nodiscard]] std::unique_ptr<OwnedTransaction> begin() override { return database_.begin(); }
  /// Hears nothing: 0.1.0 polled.
  [[nodiscard]] std::unique_ptr<Wakeup> listen() override;

  // publish.cpp
  std::vector<Published> publish(std::span<const Event> events,
                                 const Transaction* transaction) override;
  // attempts.cpp
  [[nodiscard]] Claimed claim(const ClaimRequest& request) override;
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  /// Nothing: a lease without work there is not.
  void relinquish(const WorkerId& worker) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;
  // manage.cpp
  void subscribe(const Subscription& subscription) override;
  [[nodiscard]] Verdict set_subscription_state(std::string_view handler,
                                               SubscriptionState state) override;
  [[nodiscard]] std::vector<Subscription> subscriptions() override;
  /// Takeovers are not counted, lanes there are none.
  [[nodiscard]] Statistics statistics() override;
  /// Deletes nothing: retention is off in a benchmark.
  Purged purge(const Retention& retention, std::size_t limit) override;
  // These throw usage.
  [[nodiscard]] DeliveryPage list(const ListQuery& query) override;
  std::int64_t requeue(const Selection& selection) override;
  std::int64_t bury_selected(const Selection& selection, std::string_view reason) override;

 private:
  postgres::detail::Database& database_;
};

}  // namespace penstock::bench
