// Memory always, SQLite where it was built.
#include "property/stores.hpp"

#include "support/memory_fixture.hpp"

#ifdef PENSTOCK_PROPERTY_SQLITE
#include "penstock/stores/sqlite.hpp"
#include "store/sqlite/sqlite_file.hpp"
#endif

namespace penstock::property {

#ifdef PENSTOCK_PROPERTY_SQLITE
namespace {

class SqliteFixture final : public contract::StoreFixture {
 public:
  SqliteFixture(std::shared_ptr<const Clock> clock, const contract::StoreSetup& setup)
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
  bool set_next_delivery_id(std::int64_t /*next*/) override { return false; }

 private:
  test::TemporaryFolder folder_;
  SqliteStoreOptions options_;
  std::unique_ptr<SqliteStore> store_;
};

}  // namespace
#endif

std::vector<contract::StoreUnderTest> stores_under_test() {
  std::vector<contract::StoreUnderTest> stores = {contract::memory_store()};
#ifdef PENSTOCK_PROPERTY_SQLITE
  stores.push_back({.name = "sqlite", .make = [](auto clock, const contract::StoreSetup& setup) {
                      return std::make_unique<SqliteFixture>(std::move(clock), setup);
                    }});
#endif
  return stores;
}

}  // namespace penstock::property
