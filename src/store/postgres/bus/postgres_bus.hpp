// The bus on PostgreSQL. The verbs are in files of their own: publish, claim, finish, manage,
// list_query, statistics. What they do is in SQL; here it is called.
#pragma once

#include "penstock/bus_store.hpp"
#include "store/postgres/bus/claim_memory.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/demand.hpp"

namespace penstock::postgres::detail {

/// A claimed delivery whose event is damaged or gone.
struct Unreadable {
  Token token{};
  std::string reason{};
};

/// Thread-safe. `database` outlives it.
class PostgresBus final : public BusStore {
 public:
  explicit PostgresBus(Database& database) : database_(database) {}

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
  // finish.cpp
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;
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
  void bury_unreadable(std::span<const Unreadable> unreadable);

  Database& database_;
  ClaimMemory memory_;
  Demand demand_;
};

}  // namespace penstock::postgres::detail
