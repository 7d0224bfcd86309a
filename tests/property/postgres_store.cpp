// PostgreSQL, in a program of its own, because it takes a server.
#include "property/stores.hpp"
#include "support/postgres_fixture.hpp"

namespace penstock::property {

std::vector<contract::StoreUnderTest> stores_under_test() { return {contract::postgres_store()}; }

// A schema for each, and a round trip for each step.
std::size_t sequences() { return 1'000; }

}  // namespace penstock::property
