// A PostgreSQL store in a schema of its own, on the clock of a test. The program links
// penstock_postgres_support and sees the private headers of the store.
#pragma once

#include <atomic>
#include <mutex>

#include "contract/contract.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "support/intercepted_bus_store.hpp"
#include "support/postgres_server.hpp"

namespace penstock::contract {

/// The store knows no clock but the server's: its function now(), which is replaced here by one
/// that reads a table. The time of the test's clock is written there before each call.
class PostgresFixture final : public StoreFixture {
 public:
  PostgresFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : clock_(std::move(clock)), session_(schema_.url()) {
    options_.connection = schema_.url();
    options_.schema = schema_.name();
    options_.completion_history = setup.completion_history;
    options_.max_payload = setup.max_payload;
    options_.pool_size = 20;
    reopen();
    store_->setup(SetupMode::migrate);
    session_.ask("create table " + name("test_clock") + " as select now() as at; " +
                 "create or replace function " + name("now") + "() returns timestamptz " +
                 "language sql stable as 'select at from " + name("test_clock") + "'");
    clock_is_ready_ = true;
  }

  BusStore& bus() override { return *intercepted_; }
  void reopen() override {
    intercepted_.reset();
    store_.reset();
    database_ = std::make_unique<postgres::detail::Database>(options_);
    store_ = std::make_unique<postgres::detail::PostgresBus>(*database_);
    intercepted_ = std::make_unique<test::InterceptedBusStore>(*store_);
    intercepted_->before = [this](std::string_view) { tell_time(); };
  }
  bool set_next_delivery_id(std::int64_t next) override {
    session_.ask("alter table " + name("deliveries") + " alter column id restart with " +
                 std::to_string(next));
    return true;
  }

 private:
  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\".\"" + object + '"';
  }
  void tell_time() {
    const std::scoped_lock lock(mutex_);
    const Timestamp now = clock_->now();
    if (!clock_is_ready_ || told_ == now) return;
    told_ = now;
    session_.ask("update " + name("test_clock") + " set at = 'epoch'::timestamptz + " +
                 std::to_string(now.time_since_epoch().count()) + " * interval '1 microsecond'");
  }

  std::shared_ptr<const Clock> clock_;
  test::TestSchema schema_;
  test::Session session_;
  PostgresStoreOptions options_;
  std::unique_ptr<postgres::detail::Database> database_;
  std::unique_ptr<postgres::detail::PostgresBus> store_;
  std::unique_ptr<test::InterceptedBusStore> intercepted_;
  std::mutex mutex_;
  bool clock_is_ready_ = false;
  std::optional<Timestamp> told_;
};

[[nodiscard]] inline StoreUnderTest postgres_store() {
  return {.name = "postgres", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<PostgresFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract
