// A SQLite store on a file of its own, for the tests that are written for every store. The program
// links penstock_sqlite_support.
#pragma once

#include "contract/contract.hpp"
#include "penstock/stores/sqlite.hpp"
#include "store/sqlite/sqlite_file.hpp"

namespace penstock::contract {

class SqliteFixture final : public StoreFixture {
 public:
  SqliteFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : options_{.path = folder_.path("orders.db"),
                 .clock = std::move(clock),
                 .completion_history = setup.completion_history,
                 .max_payload = setup.max_payload} {
    reopen();
    store_->bus().setup(SetupMode::migrate);
  }

  BusStore& bus() override { return store_->bus(); }
  void reopen() override {
    store_.reset();
    store_ = std::make_unique<SqliteStore>(options_);
  }
  bool set_next_delivery_id(std::int64_t next) override {
    test::PlainConnection plain{options_.path};
    plain.run(
        "insert into sqlite_sequence(name, seq) select 'penstock_deliveries', 0"
        " where not exists (select 1 from sqlite_sequence where name = 'penstock_deliveries');"
        "update sqlite_sequence set seq = " +
        std::to_string(next - 1) + " where name = 'penstock_deliveries'");
    return true;
  }

 private:
  test::TemporaryFolder folder_;
  SqliteStoreOptions options_;
  std::unique_ptr<SqliteStore> store_;
};

[[nodiscard]] inline StoreUnderTest sqlite_store() {
  return {.name = "sqlite", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<SqliteFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract
