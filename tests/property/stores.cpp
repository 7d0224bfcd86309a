// Memory always, SQLite where it was built.
#include "property/stores.hpp"

#include "support/memory_fixture.hpp"

#ifdef PENSTOCK_PROPERTY_SQLITE
#include "support/sqlite_fixture.hpp"
#endif

namespace penstock::property {

std::vector<contract::StoreUnderTest> stores_under_test() {
  std::vector<contract::StoreUnderTest> stores = {contract::memory_store()};
#ifdef PENSTOCK_PROPERTY_SQLITE
  stores.push_back(contract::sqlite_store());
#endif
  return stores;
}

std::size_t sequences() { return 20'000; }

}  // namespace penstock::property
