// A PostgreSQL store in a schema of its own, on the clock of a test. The program links
// penstock_postgres_support.
#pragma once

#include "contract/queue/queue_contract.hpp"
#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"

namespace penstock::contract {

/// The store knows no clock but the server's: its function now(), which is replaced here by one
/// that reads a table, where the test's clock is written whenever it was moved.
class PostgresQueueFixture final : public QueueFixture {
 public:
  PostgresQueueFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : clock_(std::move(clock)), session_(schema_.url()) {
    options_.connection = schema_.url();
    options_.schema = schema_.name();
    options_.completion_history = setup.completion_history;
    options_.max_payload = setup.max_payload;
    options_.pool_size = 20;
    reopen();
    store_->queue().setup(SetupMode::migrate);
    session_.ask("create table " + name("test_clock") + " as select now() as at; " +
                 "create or replace function " + name("now") + "() returns timestamptz " +
                 "language sql stable as 'select at from " + name("test_clock") + "'");
    PostgresQueueFixture::clock_moved();
  }

  Store& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    store_ = std::make_unique<PostgresStore>(options_);
  }
  void clock_moved() override {
    session_.ask("update " + name("test_clock") + " set at = 'epoch'::timestamptz + " +
                 std::to_string(clock_->now().time_since_epoch().count()) +
                 " * interval '1 microsecond'");
  }

 private:
  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\".\"" + object + '"';
  }

  std::shared_ptr<const Clock> clock_;
  test::TestSchema schema_;
  test::Session session_;
  PostgresStoreOptions options_;
  std::unique_ptr<PostgresStore> store_;
};

[[nodiscard]] inline QueueUnderTest postgres_queue() {
  return {.name = "postgres", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<PostgresQueueFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract
