// A SQLite store on a file of its own, for the tests of the queue that are written for every store.
// The program links penstock_sqlite_support.
#pragma once

#include "contract/queue/queue_contract.hpp"
#include "penstock/stores/sqlite.hpp"
#include "store/sqlite/sqlite_file.hpp"

namespace penstock::contract {

class SqliteQueueFixture final : public QueueFixture {
 public:
  SqliteQueueFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : options_{.path = folder_.path("jobs.db"),
                 .clock = std::move(clock),
                 .completion_history = setup.completion_history,
                 .max_payload = setup.max_payload} {
    reopen();
    store_->queue().setup(SetupMode::migrate);
  }

  Store& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    store_ = std::make_unique<SqliteStore>(options_);
  }

 private:
  test::TemporaryFolder folder_;
  SqliteStoreOptions options_;
  std::unique_ptr<SqliteStore> store_;
};

[[nodiscard]] inline QueueUnderTest sqlite_queue() {
  return {.name = "sqlite", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<SqliteQueueFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract
